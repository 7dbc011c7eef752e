import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { withHostToolNames } from '../../../../protocols/host-tool-names.ts';
import { toChatBody, toFallbackParameters } from '../../../../protocols/openai-chat/print-request.ts';
import { readChoices, readParts } from '../../../../protocols/openai-chat/read-answer.ts';
import { MAX_TOOL_NAME } from '../../../../protocols/openai-chat/vendor-rules.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { withDownloadedFiles, withPdfImages } from './file-parts.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const PROTOCOL: Omit<TextProtocol<ChatRequest>, 'toBody'> = {
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
    ...PROTOCOL,
    toBody: hasPdfImages ? (request: ChatRequest) => withPdfImages(toBody(request)) : toBody,
  };
  const { complete, stream } = createTextModel({ endpoint }, config, protocol);
  const chat: ChatModel = {
    dialects: [PROTOCOL.dialect],
    complete: async (request, signal) => complete(await withDownloadedFiles(download, request, signal), signal),
    stream: async (request, signal) => stream(await withDownloadedFiles(download, request, signal), signal),
  };
  return withHostToolNames(chat, MAX_TOOL_NAME);
}
