import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import { shorten } from '../../../../lib/shorten.ts';
import type { ChatMessage, ChatRequestBody } from '../../chat-model.ts';
import type { DemoTexts } from './demo-texts.ts';
import { ENGLISH_DEMO_TEXTS } from './demo-texts-en.ts';
import { RUSSIAN_DEMO_TEXTS } from './demo-texts-ru.ts';
import { findDemoToolUse } from './demo-tool-calls.ts';
import { sampleOfSchema } from './sample-of-schema.ts';

/** What the demonstration answers: a text, or the call of a tool. */
export type DemoReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly name: string; readonly arguments: string };

const MAX_COUNT = 1000;
const LONG_ROUNDS = 6;
/** Longest question, in characters, in which words such as “table” ask for a sample. */
const MAX_KEYWORD_QUESTION = 80;

/** The answer to a conversation: the same for the same conversation, in the language of its last question. */
export function composeDemoReply(body: ChatRequestBody, options: { readonly alwaysLong: boolean }): DemoReply {
  const last = body.messages.at(-1);
  const users = body.messages.filter((message) => isRole(message, 'user'));
  const written = textOf(users.at(-1)).trim();
  const documents = [...written.matchAll(DOCUMENT)];
  const question = written.replaceAll(DOCUMENT, '').trim();
  const texts = /[а-яё]/i.test(question) ? RUSSIAN_DEMO_TEXTS : ENGLISH_DEMO_TEXTS;
  if (last && isRole(last, 'tool')) return { kind: 'text', text: sayResult(texts, body.messages, textOf(last)) };
  const call = findToolCall(body, question);
  if (call) return call;
  const json = findJsonReply(body, question);
  if (json !== undefined) return { kind: 'text', text: json };
  if (documents.length > 0) return { kind: 'text', text: describeDocuments(texts, documents) };
  const text = options.alwaysLong ? longAnswer(texts) : answer(texts, question, body.messages, users);
  return { kind: 'text', text };
}

/** How the words of a document stand in a message. */
const DOCUMENT = /<document name="([^"\n]*)"[^<>\n]*>\n((?:(?!<document name=")[\s\S])*?)\n<\/document>/g;

function describeDocuments(texts: DemoTexts, documents: readonly RegExpExecArray[]): string {
  return documents
    .map(([, name = '', text = '']) =>
      texts.document({ name, words: text.split(/\s+/).length, excerpt: excerpt(text, 200) }),
    )
    .join('\n\n');
}

type Keyword = readonly [pattern: RegExp, reply: (texts: DemoTexts) => string];

/** Whole answers: the first that fits. */
const WHOLE_ANSWERS: readonly Keyword[] = [
  [/\b(long|several pages|essay|story)\b|длинн|несколько страниц|рассказ|сочинени/i, longAnswer],
  [/\bhelp\b|what can you (do|show)|помо(щь|ги)|что ты умеешь|\/help/i, (texts) => texts.help],
  [/markdown|formatting|everything you can|разметк|форматирован|маркдаун/i, (texts) => texts.markdown],
];

/** Samples: all that are named, in this order. */
const SAMPLES: readonly Keyword[] = [
  [/\btables?\b|таблиц/i, (texts) => texts.table],
  [/\b(code|python|program|function|script)\b|(?<!\p{L})код|программ|скрипт/iu, (texts) => texts.code],
  [/\b(formulas?|latex|equation|math)\b|формул|уравнен|математик/i, (texts) => texts.formula],
  [/\blists?\b|списо?к/i, (texts) => texts.list],
  [/\bquotes?\b|цитат/i, (texts) => texts.quote],
];

/** Small talk: the first that fits. */
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
  users: readonly ChatMessage[],
): string {
  const pictures = countPictures(users.at(-1));
  if (pictures > 0) return texts.pictures(pictures);
  if (question === '') return texts.empty;
  const repeated = /^(?:repeat|say|echo|повтори|скажи)\s*:\s*([\s\S]+)$/i.exec(question)?.[1];
  if (repeated !== undefined) return repeated;
  const target = /(?:count (?:up )?to|(?:по)?считай до)\s+(\d+)/i.exec(question)?.[1];
  if (target !== undefined) return countTo(Number(target));
  const system = messages
    .filter((message) => isRole(message, 'system') || isRole(message, 'developer'))
    .map(textOf)
    .join('\n');
  if (/system prompt|системн\S{0,20} (подсказк|промпт|инструкци)/i.test(question)) {
    return system === '' ? texts.noSystemPrompt : texts.systemPrompt(system);
  }
  if (
    /what did i (say|write|ask)|(did|do) you remember|что я (говорил|сказал|писал|спрашивал)|ты помнишь/i.test(question)
  ) {
    const said = users.slice(0, -1).map((message) => excerpt(textOf(message), 200));
    return said.length === 0 ? texts.noHistory : texts.history(said);
  }
  const prepared = texts.prepared.find((one) => one.question.test(question));
  if (prepared) return prepared.answer;
  // In a long text such a word is not what is asked for.
  const fits = ([pattern]: Keyword) => question.length <= MAX_KEYWORD_QUESTION && pattern.test(question);
  const samples = SAMPLES.filter(fits);
  const chosen = WHOLE_ANSWERS.find(fits) ?? (samples.length === 0 ? SMALL_TALK.find(fits) : undefined);
  if (chosen) return chosen[1](texts);
  if (samples.length > 0) return samples.map(([, sample]) => sample(texts)).join('\n\n');
  return texts.fallback(excerpt(question, 120));
}

function longAnswer(texts: DemoTexts): string {
  const chapters = Array.from({ length: LONG_ROUNDS }, (_, round) =>
    texts.chapters.map(
      ({ title, body }, index) => `## ${round * texts.chapters.length + index + 1}. ${title}\n\n${body}`,
    ),
  );
  return [texts.longIntroduction, ...chapters.flat(), texts.longEnd].join('\n\n');
}

function countTo(target: number): string {
  const end = Math.min(target, MAX_COUNT);
  return Array.from({ length: end }, (_, index) => index + 1).join(end > 20 ? ' ' : ', ');
}

/** A call of the tool whose name stands in the question, of the one the request demands, or of one that the question is made for. */
function findToolCall(body: ChatRequestBody, question: string): DemoReply | undefined {
  if (!Array.isArray(body.tools) || body.tool_choice === 'none') return undefined;
  const tools = body.tools.flatMap((tool) =>
    isJsonObject(tool) && isJsonObject(tool.function) ? [tool.function] : [],
  );
  const choice =
    isJsonObject(body.tool_choice) && isJsonObject(body.tool_choice.function)
      ? body.tool_choice.function.name
      : undefined;
  const demanded = body.tool_choice === 'required' ? tools[0] : tools.find((tool) => tool.name === choice);
  const tool = demanded ?? tools.find(({ name }) => typeof name === 'string' && name !== '' && question.includes(name));
  if (typeof tool?.name !== 'string') {
    const names = tools.flatMap(({ name }) => (typeof name === 'string' ? name : []));
    const use = findDemoToolUse(names, question);
    return use && { kind: 'tool-call', name: use.name, arguments: JSON.stringify(use.parameters) };
  }
  return { kind: 'tool-call', name: tool.name, arguments: JSON.stringify(sampleOfSchema(tool.parameters)) };
}

/** What a tool has said, in words that fit the tool. */
function sayResult(texts: DemoTexts, messages: readonly ChatMessage[], result: string): string {
  const calls = messages.findLast((message) => Array.isArray(message['tool_calls']))?.['tool_calls'];
  const call = Array.isArray(calls) && isJsonObject(calls[0]) ? calls[0].function : undefined;
  const name = isJsonObject(call) ? call.name : undefined;
  if (result.startsWith('Error:')) return texts.toolAnswered(result);
  if (name === 'calculator') return texts.calculated(result);
  if (name === 'current_time') return texts.toldTime(result.split(';')[0] ?? result);
  return name === 'draw_picture' ? texts.orderedPicture : texts.toolAnswered(excerpt(result, MAX_RESULT_CHARACTERS));
}

const MAX_RESULT_CHARACTERS = 1500;

/** JSON where `response_format` asks for it: a sample of the schema, or an object that says what it is. */
function findJsonReply({ response_format: format }: ChatRequestBody, question: string): string | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format.type === 'json_schema' && isJsonObject(format.json_schema)) {
    return JSON.stringify(sampleOfSchema(format.json_schema.schema));
  }
  return format.type === 'json_object' ? JSON.stringify({ demonstration: true, question }) : undefined;
}

function isRole(message: ChatMessage, role: string): boolean {
  return message.role.toLowerCase() === role;
}

/** The text of a message, whatever form its content has. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: JsonObject) => (typeof part.text === 'string' ? part.text : '')).join('');
}

function countPictures(message: ChatMessage | undefined): number {
  const content = message?.content;
  return Array.isArray(content) ? content.filter((part: JsonObject) => part.type === 'image_url').length : 0;
}

function excerpt(text: string, maxCharacters: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), maxCharacters);
}
