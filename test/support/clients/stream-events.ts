import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json/json.ts';

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
    const [, type = '', data = ''] = /^event: (\w+)\ndata: (\{.*\})$/.exec(block) ?? [];
    const event = JSON.parse(data);
    if (event.type !== type) throw new Error(`event ${type} has the type ${event.type}`);
    return { type, data: event };
  });
}
