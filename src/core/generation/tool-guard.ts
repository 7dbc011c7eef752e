import { unescape as decodeLeniently } from 'node:querystring';
import { domainToUnicode } from 'node:url';
import type { JsonObject } from '../../lib/json.ts';
import { type ChatMessage, listTexts } from '../models/index.ts';
import { containsAddress, type Tool } from '../tools/index.ts';

/** A call of a tool that a model asks for. */
export interface ToolUse {
  readonly tool: Tool;
  readonly parameters: JsonObject;
}

/** `ask`: the user decides. `refuse`: the call needs a permission that it can't get here. */
export type ToolDecision = 'run' | 'ask' | 'refuse';

/**
 * Decides which calls run without the permission of the user. Text that others have written may contain instructions for the model: as
 * soon as the model has read such text, calls that act, and addresses that the model has composed, need permission.
 */
export interface ToolGuard {
  /** Notes what the model reads before its first step. */
  readConversation(messages: readonly ChatMessage[], hasForeignText: boolean): void;
  /**
   * Notes a result that the model reads from now on.
   * @param tool undefined where the tool is gone since the call.
   */
  readResult(tool: Tool | undefined, parameters: JsonObject, result: string): void;
  /** Notes that the model has read foreign text in another way: its provider has searched the web, say. */
  noteForeignText(): void;
  /** Notes that the user has refused a call: no other one like it is asked about in the same answer. */
  noteRefusal(use: ToolUse): void;
  decide(use: ToolUse): Promise<ToolDecision>;
  /** The model has read text that others have written and that is not a part of the conversation. */
  readonly hasReadForeignText: boolean;
}

export interface ToolGuardOptions {
  /** Whether the user can be asked. */
  readonly canAsk: boolean;
  /** Looks up a permission that holds for the whole conversation. */
  readonly isPermitted: (subject: string) => Promise<boolean>;
}

/**
 * Pages of the conversation that one answer opens without permission. The choice among many prepared addresses tells their author a
 * little about the conversation.
 */
const MAX_FREE_PAGES = 8;

/** Returns the subject of a permission: the tool, and the host where the tool opens addresses. */
export function toPermissionSubject({ tool, parameters }: ToolUse): string {
  const host = tool.findAddress?.(parameters)?.host;
  const name = tool.source === undefined ? tool.name : `${tool.source}/${tool.name}`;
  return host === undefined ? name : `${name} ${host}`;
}

export function createToolGuard({ canAsk, isPermitted }: ToolGuardOptions): ToolGuard {
  /** Text whose author can't know what the model has read. */
  const texts: string[] = [];
  /** Results that may repeat the arguments of their calls. */
  const results: string[] = [];
  /** The arguments of these calls, in lower case. */
  let written = '';
  let hasForeignText = false;
  let hasReadForeignText = false;
  let freePages = 0;
  const refused = new Set<string>();

  const stands = (address: URL): boolean => {
    if (texts.some((text) => containsAddress(text, address))) return true;
    // Where a call has named the host, its result may repeat an address that the model has composed.
    const isNamed = [address.hostname, domainToUnicode(address.hostname)].some((host) => written.includes(host));
    return !isNamed && results.some((text) => containsAddress(text, address));
  };

  const needsPermission = ({ tool, parameters }: ToolUse): boolean => {
    const { permission = 'never' } = tool;
    if (permission === 'never') return false;
    if (permission === 'always') return true;
    if (!hasForeignText && !hasReadForeignText) return false;
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
    readConversation(messages, isForeign) {
      hasForeignText = isForeign;
      // What the model has said itself may hold words of the user.
      texts.push(...messages.flatMap((message) => (message.role === 'assistant' ? [] : listTexts(message.content))));
    },
    readResult(tool, parameters, result) {
      if (tool && !tool.hasForeignResults) return;
      hasReadForeignText = true;
      const address = tool?.findAddress?.(parameters);
      if (address && stands(address)) return void texts.push(result);
      results.push(result);
      const given = JSON.stringify(parameters);
      written += `${given}\n${decodeLeniently(given)}\n`.normalize('NFKC').toLowerCase();
    },
    noteForeignText() {
      hasReadForeignText = true;
    },
    noteRefusal: (use) => void refused.add(toPermissionSubject(use)),
    async decide(use) {
      if (!needsPermission(use)) return 'run';
      const subject = toPermissionSubject(use);
      if (refused.has(subject)) return 'refuse';
      if (await isPermitted(subject)) return 'run';
      return canAsk ? 'ask' : 'refuse';
    },
  };
}
