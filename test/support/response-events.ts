import { isJsonObject, type JsonObject, parseJson } from '../../src/lib/json.ts';

/** An event of the Responses API. */
export type StreamedEvent = JsonObject & { readonly type: string; readonly sequence_number: number };

/** Parses an event stream of the Responses API. Throws if it breaks the rules of the format. */
export function readResponseEvents(text: string): readonly StreamedEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== ': ping');
  if (blocks.pop() !== 'data: [DONE]') throw new Error('the stream does not end with [DONE]');
  return blocks.map((block, index) => {
    const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
    const event = parseJson(data);
    if (!isJsonObject(event) || event['type'] !== name) throw new Error(`not an event: ${block}`);
    if (event['sequence_number'] !== index) throw new Error(`event ${index} has another number: ${block}`);
    return event as StreamedEvent;
  });
}
