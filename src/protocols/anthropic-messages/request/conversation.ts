import type { AssistantMessage, ChatMessage } from '../../../core/models/contract/chat-request.ts';
import type { TranslationProblems } from './untranslatable.ts';

/** Puts messages in the order that other protocols require, and notes calls without results and the reverse. */
export class Conversation {
  readonly #problems: TranslationProblems;
  readonly #messages: ChatMessage[] = [];
  /** Messages after the results of the open calls. */
  #later: ChatMessage[] = [];
  /** Ids of the calls without results. Other hosts use one id several times. */
  #openCalls: string[] = [];
  #openPath = '';
  #assistantPath: string | undefined;

  constructor(problems: TranslationProblems) {
    this.#problems = problems;
  }

  add(messages: readonly ChatMessage[]): void {
    this.#assistantPath = undefined;
    this.#later.push(...messages);
  }

  addResult(result: Omit<Extract<ChatMessage, { readonly role: 'tool' }>, 'role'>, path: string): void {
    this.#assistantPath = undefined;
    const at = this.#openCalls.indexOf(result.toolCallId);
    if (at >= 0) this.#openCalls.splice(at, 1);
    else {
      this.#problems.add(`${path}.tool_use_id`, 'is not the id of a tool_use block in the previous assistant message');
    }
    this.#messages.push({ role: 'tool', ...result });
  }

  addAssistant(message: AssistantMessage, path: string): void {
    this.#closeTurn();
    this.#messages.push(message);
    this.#assistantPath = path;
    this.#openCalls = message.toolCalls?.map(({ id }) => id) ?? [];
    this.#openPath = `${path}.content`;
  }

  end(): readonly ChatMessage[] {
    this.#closeTurn();
    if (this.#assistantPath !== undefined) {
      this.#problems.add(this.#assistantPath, 'must not be the last message: this model can not continue its answer');
    }
    return this.#messages;
  }

  #closeTurn(): void {
    for (const id of this.#openCalls) {
      this.#problems.add(
        this.#openPath,
        `has the tool call '${id.slice(0, 100)}' without a tool_result in the next message`,
      );
    }
    this.#openCalls = [];
    this.#messages.push(...this.#later);
    this.#later = [];
  }
}
