import type { JsonObject } from '../../../../lib/json/json.ts';
import { choicesOf } from '../../../../protocols/openai-chat/read-answer.ts';
import { readUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import type { ChatChoice, ChatPart } from '../../contract/chat-answer.ts';
import { isUsableName } from '../../contract/chat-outcome.ts';
import type { TextCompletionModel, TextCompletionRequest } from '../../contract/text-completion-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const PROTOCOL: TextProtocol<TextCompletionRequest> = {
  dialect: 'completions',
  path: '/completions',
  toBody({ model, native }) {
    const { stream: _stream, stream_options: _streamOptions, ...body } = native.body;
    return { ...body, model };
  },
  listOptionalParameters: () => [],
  countChoices: ({ prompts, choiceCount }) => prompts.length * choiceCount,
  isChoice: ({ text }) => typeof text === 'string',
  readChoices,
  readParts,
};

/** Creates text completion models for OpenAI's legacy `/completions`, which most local servers have. */
export function createTextCompletions(
  deps: { readonly endpoint: Endpoint },
  config: OpenAiCompatibleConfig,
): TextCompletionModel {
  return createTextModel(deps, config, PROTOCOL);
}

function readChoices(completion: JsonObject): readonly ChatChoice[] {
  return choicesOf(completion).map((choice) => ({
    text: readText(choice),
    toolCalls: [],
    finishReason: readFinishReason(choice) ?? 'stop',
  }));
}

function readParts(chunk: JsonObject): readonly ChatPart[] {
  const parts: ChatPart[] = [];
  for (const [position, entry] of choicesOf(chunk).entries()) {
    const choice = typeof entry.index === 'number' && Number.isFinite(entry.index) ? entry.index : position;
    const [text, reason] = [readText(entry), readFinishReason(entry)];
    if (text !== '') parts.push({ type: 'text-delta', choice, text });
    if (reason !== undefined) parts.push({ type: 'finish', choice, reason });
  }
  const usage = readUsage(chunk);
  if (usage) parts.push({ type: 'usage', usage });
  return parts;
}

function readText({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}

function readFinishReason({ finish_reason: reason }: JsonObject): string | undefined {
  return isUsableName(reason) ? reason : undefined;
}
