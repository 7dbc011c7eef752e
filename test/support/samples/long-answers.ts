import { isJsonObject } from '../../../src/lib/json/json.ts';
import { paginateMarkdown } from '../../../src/telegram/markdown/index.ts';
import { answerHello, type Behaviour } from '../hosts/fake-provider.ts';

/** Returns the deterministic answer to a question: three pages in which no two sentences are equal. */
function toLongAnswer(question: string): string {
  const paragraphs = Array.from({ length: 45 }, (_, at) => {
    const sentences = Array.from(
      { length: 3 },
      (_, part) => `Sentence ${at}.${part} answers _${question}_ in **detail**.`,
    );
    return `${at + 1}\\. ${sentences.join(' ')}`;
  });
  return paragraphs.join('\n\n');
}

/** Returns the texts of the messages of that answer. */
export function toAnswerPages(question: string): string[] {
  return paginateMarkdown(toLongAnswer(question)).map(({ text }) => text);
}

/**
 * Streams the long answer to the last question of the request, in `pieceCount` chunks.
 * @param options.toTopic maps the question to the one that is answered.
 */
export function answerAtLength({
  pieceCount = 40,
  everyMs = 60,
  toTopic = (question: string) => question,
} = {}): Behaviour {
  return (exchange) => {
    const { messages } = exchange.request.body;
    const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
    const answer = toLongAnswer(toTopic(isJsonObject(last) ? String(last['content']) : ''));
    const size = Math.ceil(answer.length / pieceCount);
    const pieces = Array.from({ length: pieceCount }, (_, at) => answer.slice(at * size, (at + 1) * size));
    return answerHello({ pieces, everyMs })(exchange);
  };
}
