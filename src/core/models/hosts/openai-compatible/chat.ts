import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { toChatBody, toFallbackParameters } from './chat-body.ts';
import { withDownloadedFiles, withPdfImages } from './file-parts.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { readChoices, readParts } from './read-chat.ts';
import { createTextModel, type TextProtocol } from './text-endpoint.ts';

const PROTOCOL: TextProtocol<ChatRequest> = {
  dialect: 'chat-completions',
  path: '/chat/completions',
  toBody: toChatBody,
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
  const protocol = config.pdfPart === 'image_url' ? { ...PROTOCOL, toBody: toBodyWithPdfImages } : PROTOCOL;
  const { complete, stream } = createTextModel({ endpoint }, config, protocol);
  const files = { provider: config.name, download };
  return {
    dialects: [PROTOCOL.dialect],
    complete: async (request, signal) => complete(await withDownloadedFiles(files, request, signal), signal),
    stream: async (request, signal) => stream(await withDownloadedFiles(files, request, signal), signal),
  };
}

function toBodyWithPdfImages(request: ChatRequest) {
  return withPdfImages(toChatBody(request));
}
