import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { withHostToolNames } from '../../../../protocols/host-tool-names.ts';
import { toChatBody, toFallbackParameters } from '../../../../protocols/openai-chat/print-request.ts';
import { readChoices, readParts } from '../../../../protocols/openai-chat/read-answer.ts';
import { MAX_TOOL_NAME } from '../../../../protocols/openai-chat/vendor-rules.ts';
import { readTextChoices, readTextParts } from '../../../../protocols/openai-media/completions-answer.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import type { TextCompletionModel, TextCompletionRequest } from '../../contract/text-completion-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { withDownloadedFiles, withPdfImages } from './file-parts.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const CHAT_PROTOCOL: Omit<TextProtocol<ChatRequest>, 'toBody'> = {
  dialect: 'chat-completions',
  path: '/chat/completions',
  listOptionalParameters: toFallbackParameters,
  countChoices: ({ choiceCount = 1 }) => choiceCount,
  isChoice: ({ message }) => isJsonObject(message),
  readChoices,
  readParts,
};

/** Creates a chat model for one endpoint. */
export function createChat(
  { endpoint, download }: { readonly endpoint: Endpoint; readonly download: Download },
  config: OpenAiCompatibleConfig,
): ChatModel {
  const toBody = (request: ChatRequest) => toChatBody(request, config);
  const hasPdfImages = config.pdfPart === 'image_url';
  const protocol = {
    ...CHAT_PROTOCOL,
    toBody: hasPdfImages ? (request: ChatRequest) => withPdfImages(toBody(request)) : toBody,
  };
  const { complete, stream } = createTextModel({ endpoint }, config, protocol);
  const chat: ChatModel = {
    dialects: [CHAT_PROTOCOL.dialect],
    complete: async (request, signal) => complete(await withDownloadedFiles(download, request, signal), signal),
    stream: async (request, signal) => stream(await withDownloadedFiles(download, request, signal), signal),
  };
  return withHostToolNames(chat, MAX_TOOL_NAME);
}

const TEXT_PROTOCOL: TextProtocol<TextCompletionRequest> = {
  dialect: 'completions',
  path: '/completions',
  toBody({ model, native }) {
    const { stream: _stream, stream_options: _streamOptions, ...body } = native.body;
    return { ...body, model };
  },
  listOptionalParameters: () => [],
  countChoices: ({ prompts, choiceCount }) => prompts.length * choiceCount,
  isChoice: ({ text }) => typeof text === 'string',
  readChoices: readTextChoices,
  readParts: readTextParts,
};

/** Creates text completion models for OpenAI's legacy `/completions`, which most local servers have. */
export function createTextCompletions(
  deps: { readonly endpoint: Endpoint },
  config: OpenAiCompatibleConfig,
): TextCompletionModel {
  return createTextModel(deps, config, TEXT_PROTOCOL);
}
