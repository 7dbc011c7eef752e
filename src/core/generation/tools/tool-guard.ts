import { unescape as decodeLeniently } from 'node:querystring';
import { domainToUnicode } from 'node:url';
import type { JsonObject } from '../../../lib/json/json.ts';
import { type ChatMessage, listTexts } from '../../models/index.ts';
import { containsAddress, type Tool } from '../../tools/index.ts';

/** A tool call requested by a model. */
export interface ToolUse {
  readonly tool: Tool;
  readonly parameters: JsonObject;
}

/** `ask`: the user decides. `refuse`: the call needs a permission that can't be given here. */
export type ToolDecision = 'run' | 'ask' | 'refuse';

/**
 * Guard of an answer: decides which calls run without permission of the user. Text from third parties may contain instructions for the
 * model (prompt injection). After the model has read such text, calls with side effects need permission, and so do URLs
 * and search queries composed by the model.
 */
export interface ToolGuard {
  /**
   * Records the messages that the model reads before its first step, without those that models have written: the
   * addresses in them may be opened.
   */
  readConversation(messages: readonly ChatMessage[], hasForeignText: boolean): void;
  /**
   * Records a tool result that the model reads from now on.
   * @param tool undefined if the tool no longer exists.
   */
  readResult(tool: Tool | undefined, parameters: JsonObject, result: string): void;
  /** Records that the model has read third-party text in another way, e.g. by its provider's web search. */
  recordForeignText(): void;
  /** Records that the user has refused a call: the same subject is not asked about again in this answer. */
  recordRefusal(use: ToolUse): void;
  decide(use: ToolUse): Promise<ToolDecision>;
  /** True after the model has read third-party text that is not part of the conversation. */
  readonly hasReadForeignText: boolean;
  /** True after the model has read any third-party text. */
  readonly hasForeignText: boolean;
}

export interface ToolGuardOptions {
  readonly canAsk: boolean;
  /**
   * Returns whether the user would see the whole call. Calls that are permitted one by one are refused otherwise. Default
   * always.
   */
  readonly isShownWhole?: (use: ToolUse) => boolean;
  /** Returns whether a permission for the whole conversation exists. */
  readonly isPermitted: (subject: string) => Promise<boolean>;
}

/**
 * Pages linked in the conversation that one answer may open without permission. Bounded because the choice among many
 * prepared URLs leaks a little of the conversation to their author.
 */
const MAX_FREE_PAGES = 8;

/** Returns the subject of a permission: the tool, and the host if the tool opens URLs. */
export function toPermissionSubject({ tool, parameters }: ToolUse): string {
  const host = tool.findAddress?.(parameters)?.host;
  const name = tool.source === undefined ? tool.name : `${tool.source}/${tool.name}`;
  return host === undefined ? name : `${name} ${host}`;
}

export function createToolGuard({ canAsk, isShownWhole = () => true, isPermitted }: ToolGuardOptions): ToolGuard {
  /** Text written without knowledge of what the model has read. */
  const texts: string[] = [];
  /** Results that may echo the arguments of their calls. */
  const results: string[] = [];
  /** Queries that a search service has got. */
  const sentQueries = new Set<string>();
  /** Arguments of the calls of `results`, in lower case. */
  let written = '';
  let isConversationForeign = false;
  let hasReadForeignText = false;
  let freePages = 0;
  const refused = new Set<string>();

  const stands = (address: URL): boolean => {
    if (texts.some((text) => containsAddress(text, address))) return true;
    // If a call has named the host, its result may echo a URL that the model has composed.
    const isNamed = [address.hostname, domainToUnicode(address.hostname)].some((host) => written.includes(host));
    return !isNamed && results.some((text) => containsAddress(text, address));
  };

  const needsPermission = ({ tool, parameters }: ToolUse): boolean => {
    const { permission = 'never' } = tool;
    if (permission === 'never') return false;
    if (permission === 'always') return true;
    if (!isConversationForeign && !hasReadForeignText) return false;
    if (tool.isInWordsOfUser?.(parameters)) return false;
    const query = tool.findQuery?.(parameters);
    if (tool.findQuery) return query !== undefined && !sentQueries.has(query);
    const address = tool.findAddress?.(parameters);
    if (!address) return tool.findAddress === undefined;
    if (freePages >= MAX_FREE_PAGES || !stands(address)) return true;
    freePages += 1;
    return false;
  };

  return {
    get hasReadForeignText() {
      return hasReadForeignText;
    },
    get hasForeignText() {
      return isConversationForeign || hasReadForeignText;
    },
    readConversation(messages, hasForeignText) {
      isConversationForeign = hasForeignText;
      // Messages of the model are excluded: they may contain words of the user.
      texts.push(...messages.flatMap((message) => (message.role === 'assistant' ? [] : listTexts(message.content))));
    },
    readResult(tool, parameters, result) {
      if (tool && !tool.hasForeignResults) return;
      hasReadForeignText = true;
      const query = tool?.findQuery?.(parameters);
      // A failed or refused call may not have sent its query.
      if (query !== undefined && !result.startsWith('Error:')) sentQueries.add(query);
      const address = tool?.findAddress?.(parameters);
      if (address && stands(address)) return void texts.push(result);
      results.push(result);
      const parametersText = JSON.stringify(parameters);
      written += `${parametersText}\n${decodeLeniently(parametersText)}\n`.normalize('NFKC').toLowerCase();
    },
    recordForeignText() {
      hasReadForeignText = true;
    },
    recordRefusal: (use) => void refused.add(toPermissionSubject(use)),
    async decide(use) {
      if (!needsPermission(use)) return 'run';
      const subject = toPermissionSubject(use);
      if (refused.has(subject)) return 'refuse';
      if (use.tool.asksEachTime) return canAsk && isShownWhole(use) ? 'ask' : 'refuse';
      if (await isPermitted(subject)) return 'run';
      return canAsk ? 'ask' : 'refuse';
    },
  };
}
