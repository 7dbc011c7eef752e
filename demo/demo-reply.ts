import { type ChatMessage, type ChatRequest, listTexts } from '../src/core/models/index.ts';
import { isJsonObject, type JsonObject } from '../src/lib/json/json.ts';
import { shorten } from '../src/lib/text.ts';
import type { DemoTexts } from './demo-texts.ts';
import { ENGLISH_DEMO_TEXTS } from './demo-texts-en.ts';
import { RUSSIAN_DEMO_TEXTS } from './demo-texts-ru.ts';
import { findDemoToolUse } from './demo-tool-calls.ts';

/** Reply of the demonstration: a text or a tool call. */
export type DemoReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly name: string; readonly arguments: string };

/** Composes the reply to a conversation. Deterministic, in the language of its last question. */
export function composeDemoReply(request: ChatRequest, options: { readonly alwaysLong: boolean }): DemoReply {
  const { messages } = request;
  const last = messages.at(-1);
  const userMessages = messages.filter(({ role }) => role === 'user');
  const written = textOf(userMessages.at(-1)).trim();
  const documents = [...written.matchAll(DOCUMENT)];
  const question = written.replaceAll(DOCUMENT, '').trim();
  const texts = /[а-яё]/i.test(question) ? RUSSIAN_DEMO_TEXTS : ENGLISH_DEMO_TEXTS;
  if (last?.role === 'tool') return { kind: 'text', text: describeToolResult(texts, messages, textOf(last)) };
  const call = findToolCall(request, question);
  if (call) return call;
  const json = findJsonReply(request, question);
  if (json !== undefined) return { kind: 'text', text: json };
  if (documents.length > 0) return { kind: 'text', text: describeDocuments(texts, documents) };
  const text = options.alwaysLong ? longAnswer(texts) : answer(texts, question, messages, userMessages);
  return { kind: 'text', text };
}

/** Matches a document in a message. */
const DOCUMENT = /<document name="([^"\n]*)"[^<>\n]*>\n((?:(?!<document name=")[\s\S])*?)\n<\/document>/g;

function describeDocuments(texts: DemoTexts, documents: readonly RegExpExecArray[]): string {
  return documents
    .map(([, name = '', text = '']) =>
      texts.document({ name, words: text.split(/\s+/).length, excerpt: excerpt(text, 200) }),
    )
    .join('\n\n');
}

/** Longest question, in characters, in which words such as “table” request a sample. */
const MAX_KEYWORD_QUESTION = 80;

type Keyword = readonly [pattern: RegExp, reply: (texts: DemoTexts) => string];

/** Complete answers; the first match is used. */
const WHOLE_ANSWERS: readonly Keyword[] = [
  [/\b(long|several pages|essay|story)\b|длинн|несколько страниц|рассказ|сочинени/i, longAnswer],
  [/\bhelp\b|what can you (do|show)|помо(щь|ги)|что ты умеешь|\/help/i, (texts) => texts.help],
  [/markdown|formatting|everything you can|разметк|форматирован|маркдаун/i, everythingInMarkdown],
];

/** Samples; all matches are used, in this order. */
const SAMPLES: readonly Keyword[] = [
  [/\btables?\b|таблиц/i, ({ samples }) => samples.table],
  [/\b(code|python|program|function|script)\b|(?<!\p{L})код|программ|скрипт/iu, ({ samples }) => samples.code],
  [/\b(formulas?|latex|equation|math)\b|формул|уравнен|математик/i, ({ samples }) => samples.formula],
  [/\blists?\b|списо?к/i, ({ samples }) => samples.list],
  [/\bquotes?\b|цитат/i, ({ samples }) => samples.quote],
];

/** Small talk; the first match is used. */
const SMALL_TALK: readonly Keyword[] = [
  [
    /who are you|what are you|are you (a |an )?(human|real|ai|bot)|кто ты|что ты такое|ты (человек|бот)/i,
    (texts) => texts.whoAmI,
  ],
  [
    /^(hi|hello|hey|good (morning|evening|day)|привет|здравствуй|добрый (день|вечер)|доброе утро)/i,
    (texts) => texts.greeting,
  ],
  [/\b(thanks|thank you)\b|спасибо|благодарю/i, (texts) => texts.thanks],
  [/^(bye|goodbye|see you|пока|до свидания)/i, (texts) => texts.goodbye],
];

function answer(
  texts: DemoTexts,
  question: string,
  messages: readonly ChatMessage[],
  userMessages: readonly ChatMessage[],
): string {
  const images = countImages(userMessages.at(-1));
  if (images > 0) return texts.images(images);
  if (question === '') return texts.empty;
  const repeated = /^(?:repeat|say|echo|повтори|скажи)\s*:\s*([\s\S]+)$/i.exec(question)?.[1];
  if (repeated !== undefined) return repeated;
  const target = /(?:count (?:up )?to|(?:по)?считай до)\s+(\d+)/i.exec(question)?.[1];
  if (target !== undefined) return countTo(Number(target));
  const system = readSystemPrompt(messages);
  if (/system prompt|системн\S{0,20} (подсказк|промпт|инструкци)/i.test(question)) {
    return system === '' ? texts.noSystemPrompt : texts.systemPrompt(system);
  }
  if (
    /what did i (say|write|ask)|(did|do) you remember|что я (говорил|сказал|писал|спрашивал)|ты помнишь/i.test(question)
  ) {
    const previousQuestions = userMessages.slice(0, -1).map((message) => excerpt(textOf(message), 200));
    return previousQuestions.length === 0 ? texts.noHistory : texts.history(previousQuestions);
  }
  const prepared = texts.prepared.find((one) => one.question.test(question));
  if (prepared) return prepared.answer;
  // In a long text such a word is not a request.
  const fits = ([pattern]: Keyword) => question.length <= MAX_KEYWORD_QUESTION && pattern.test(question);
  const samples = SAMPLES.filter(fits);
  const chosen = WHOLE_ANSWERS.find(fits) ?? (samples.length === 0 ? SMALL_TALK.find(fits) : undefined);
  if (chosen) return chosen[1](texts);
  if (samples.length > 0) return samples.map(([, sample]) => sample(texts)).join('\n\n');
  return texts.fallback(excerpt(question, 120));
}

function readSystemPrompt(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join('\n');
}

function everythingInMarkdown({ markdownStart, samples, markdownEnd }: DemoTexts): string {
  return [markdownStart, ...Object.values(samples), '---', markdownEnd].join('\n\n');
}

const LONG_ROUNDS = 12;

function longAnswer(texts: DemoTexts): string {
  const chapters = Array.from({ length: LONG_ROUNDS }, (_, round) =>
    texts.chapters.map(
      ({ title, body }, index) => `## ${round * texts.chapters.length + index + 1}. ${title}\n\n${body}`,
    ),
  );
  return [texts.longIntroduction, ...chapters.flat(), texts.longEnd].join('\n\n');
}

const MAX_COUNT = 1000;

function countTo(target: number): string {
  const end = Math.min(target, MAX_COUNT);
  return Array.from({ length: end }, (_, index) => index + 1).join(end > 20 ? ' ' : ', ');
}

/** Names of tools that questions contain without meaning the tool. */
const EVERYDAY_WORDS: ReadonlySet<string> = new Set(['', 'remember', 'forget']);

/** Calls the tool that the request demands, else one that the question names, else one that suits the question. */
function findToolCall({ messages, tools = [], toolChoice }: ChatRequest, question: string): DemoReply | undefined {
  if (toolChoice === 'none') return undefined;
  const choice = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  const demanded = toolChoice === 'required' ? tools[0] : tools.find(({ name }) => name === choice);
  const tool = demanded ?? tools.find(({ name }) => !EVERYDAY_WORDS.has(name) && question.includes(name));
  if (!tool) {
    const names = tools.map(({ name }) => name);
    const today = /^Today is \p{L}+, (\d{4}-\d{2}-\d{2})/mu.exec(readSystemPrompt(messages))?.[1];
    const use = findDemoToolUse(names, question, today);
    return use && { kind: 'tool-call', name: use.name, arguments: JSON.stringify(use.parameters) };
  }
  return { kind: 'tool-call', name: tool.name, arguments: JSON.stringify(sampleOfSchema(tool.parameters)) };
}

/** Returns the tool's English result in the user's language, where it says that a note was saved. */
function describeMemoryResult(texts: DemoTexts, result: string): string {
  const note = /^Saved: (.*)/s.exec(result)?.[1];
  const text = excerpt(note ?? result, MAX_RESULT_CHARACTERS);
  return note === undefined ? text : texts.savedNote(text);
}

/** Describes a tool result in words that suit the tool. */
function describeToolResult(texts: DemoTexts, messages: readonly ChatMessage[], result: string): string {
  const toolCallMessage = messages.findLast((message) => message.role === 'assistant' && message.toolCalls?.length);
  const name = toolCallMessage?.role === 'assistant' ? toolCallMessage.toolCalls?.[0]?.name : undefined;
  if (result.startsWith('Error:')) return texts.toolAnswered(result);
  if (name === 'calculator') return texts.calculated(result);
  if (name === 'current_time') return texts.toldTime(result.split(';')[0] ?? result);
  if (name === 'draw_picture') return texts.orderedImage;
  if (name === 'draw_chart') return texts.drewChart;
  if (name === 'remember' || name === 'forget') return texts.changedMemory(describeMemoryResult(texts, result));
  if (name === 'schedule_task') return texts.scheduledTask;
  return texts.toolAnswered(shorten(result.trim(), MAX_RESULT_CHARACTERS));
}

const MAX_RESULT_CHARACTERS = 1500;

/**
 * Returns JSON if `response_format` requests it: a sample of the schema, or an object that says that it is a
 * demonstration.
 */
function findJsonReply({ responseFormat }: ChatRequest, question: string): string | undefined {
  if (responseFormat?.type !== 'json') return undefined;
  return JSON.stringify(
    responseFormat.schema ? sampleOfSchema(responseFormat.schema) : { demonstration: true, question },
  );
}

/** Returns the text of a message, whatever the form of its content. */
export function textOf(message: ChatMessage | undefined): string {
  return message ? listTexts(message.content).join('') : '';
}

function countImages(message: ChatMessage | undefined): number {
  const content = message?.content ?? '';
  return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length;
}

function excerpt(text: string, maxCharacters: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), maxCharacters);
}

const MAX_DEPTH = 8;

/** Returns a value that matches a JSON Schema of the usual kind (objects, arrays, enums, plain types). */
function sampleOfSchema(schema: unknown, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return {};
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const alternative = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list));
  if (Array.isArray(alternative)) return sampleOfSchema(alternative[0], depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return 'demo';
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleOfSchema(schema.items, depth + 1)];
    default:
      return sampleOfObject(schema, depth);
  }
}

function sampleOfObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return Object.fromEntries(properties.map(([name, property]) => [name, sampleOfSchema(property, depth + 1)]));
}
