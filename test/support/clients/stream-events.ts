import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json/json.ts';

/** An event of the Responses API. */
export type StreamedEvent = JsonObject & { readonly type: string; readonly sequence_number: number };

/** Parses an event stream of the Responses API. Throws if it breaks the rules of the format. */
export function readResponseEvents(text: string): readonly StreamedEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== ': ping');
  if (blocks.pop() !== 'data: [DONE]') throw new Error('the stream does not end with [DONE]');
  return blocks.map((block, index) => {
    const [, name, data = ''] = /^event: (\S+)\ndata: ([^\n]*)$/.exec(block) ?? [];
    const event = parseJson(data);
    if (!isJsonObject(event) || event['type'] !== name) throw new Error(`not an event: ${block}`);
    if (event['sequence_number'] !== index) throw new Error(`event ${index} has another number: ${block}`);
    return event as StreamedEvent;
  });
}

/** An event of Anthropic's Messages API. */
interface MessagesEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/** Parses an event stream of the Messages API, and checks that both lines of an event have the same type. */
export function readMessagesEvents(text: string): readonly MessagesEvent[] {
  const blocks = text.split('\n\n');
  if (blocks.pop() !== '') throw new Error('the stream does not end with a blank line');
  return blocks.map((block) => {
    const [, type = '', data = ''] = /^event: (\w+)\ndata: (\{[^\n]*\})$/.exec(block) ?? [];
    const event = JSON.parse(data);
    if (event.type !== type) throw new Error(`event ${type} has the type ${event.type}`);
    return { type, data: event };
  });
}

/** Assembles the content of a message from its events, as Anthropic's clients do. */
export function joinBlocks(events: readonly MessagesEvent[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  const written = new Map<number, string>();
  for (const { type, data } of events) {
    const index = Number(data['index']);
    const { content_block: block, delta } = data;
    if (type === 'content_block_start' && isJsonObject(block)) blocks[index] = { ...block };
    if (type !== 'content_block_delta' || !isJsonObject(delta)) continue;
    const open = blocks[index] ?? {};
    if (delta['type'] === 'input_json_delta')
      written.set(index, (written.get(index) ?? '') + String(delta['partial_json']));
    else if (delta['type'] === 'signature_delta') open['signature'] = delta['signature'];
    else
      for (const field of ['text', 'thinking'])
        if (field in delta) open[field] = `${String(open[field])}${String(delta[field])}`;
  }
  for (const [index, json] of written) blocks[index] = { ...blocks[index], input: JSON.parse(json || '{}') };
  return blocks;
}
