import type { AssistantMessage, ChatMessage, Content } from '../../../core/models/index.ts';
import type { TranslationProblems } from './untranslatable.ts';

/** Puts messages in the order that other protocols require, and notes calls without results and the reverse. */
export class Conversation {
  readonly #problems: TranslationProblems;
  readonly #messages: ChatMessage[] = [];
  /** Messages after the results of the open calls. */
  #later: ChatMessage[] = [];
  /** Paths of the calls without results, by id. */
  #openCalls = new Map<string, string>();
  #assistantPath: string | undefined;

  constructor(problems: TranslationProblems) {
    this.#problems = problems;
  }

  add(messages: readonly ChatMessage[]): void {
    this.#assistantPath = undefined;
    this.#later.push(...messages);
  }

  addResult(toolCallId: string, content: Content, path: string): void {
    this.#assistantPath = undefined;
    if (!this.#openCalls.delete(toolCallId)) {
      this.#problems.add(`${path}.tool_use_id`, 'is not the id of a tool_use block in the previous assistant message');
    }
    this.#messages.push({ role: 'tool', toolCallId, content });
  }

  addAssistant(message: AssistantMessage, path: string): void {
    this.#closeTurn();
    this.#messages.push(message);
    this.#assistantPath = path;
    this.#openCalls = new Map(message.toolCalls?.map(({ id }) => [id, `${path}.content`]));
  }

  end(): readonly ChatMessage[] {
    this.#closeTurn();
    if (this.#assistantPath !== undefined) {
      this.#problems.add(this.#assistantPath, 'must not be the last message: this model can not continue its answer');
    }
    return this.#messages;
  }

  #closeTurn(): void {
    for (const [id, path] of this.#openCalls) {
      this.#problems.add(path, `has the tool call '${id.slice(0, 100)}' without a tool_result in the next message`);
    }
    this.#openCalls.clear();
    this.#messages.push(...this.#later);
    this.#later = [];
  }
}
