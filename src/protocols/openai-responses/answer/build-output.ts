import {
  type ChatPart,
  findContinuedCall,
  MAX_SOURCES,
  MAX_TOOL_CALLS,
  type Source,
  type ToolCallDelta,
} from '../../../core/models/contract/chat-answer.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { describeImage } from '../../fields/describe-image.ts';
import type { ResponseRequest } from '../request/read-request.ts';
import { CallItem } from './call-item.ts';
import { findBase64, ImageItem } from './image-item.ts';
import { MessageItem } from './message-item.ts';
import type { Emit, ItemStatus, OutputItem } from './output-item.ts';
import { ExtraContentItem, ReasoningItem } from './reasoning-item.ts';

/** @param emit receives the events of a stream. */
export function createOutputBuilder(
  { tools, wantsEncryptedReasoning }: Pick<ResponseRequest, 'tools' | 'wantsEncryptedReasoning'>,
  emit: Emit = () => {},
) {
  const items: OutputItem[] = [];
  /** Calls stay open until the end, because hosts may send their fragments in turns. */
  const calls: CallItem[] = [];
  let open: ReasoningItem | MessageItem | undefined;
  /** Sources before the text that cites them. */
  const waitingSources: Source[] = [];
  const citedUrls = new Set<string>();

  const closeOpen = () => {
    open?.close('completed');
    open = undefined;
  };
  const openReasoning = (): ReasoningItem => {
    if (open instanceof ReasoningItem) return open;
    closeOpen();
    const item = new ReasoningItem(items.length, emit, wantsEncryptedReasoning);
    items.push(item);
    open = item;
    return item;
  };
  const openMessage = (): MessageItem => {
    if (open instanceof MessageItem) return open;
    closeOpen();
    const item = new MessageItem(items.length, emit);
    items.push(item);
    open = item;
    return item;
  };
  const addSource = (source: Source) => {
    // Some hosts repeat all sources in each event.
    if (source.url === undefined || citedUrls.has(source.url) || citedUrls.size >= MAX_SOURCES) return;
    citedUrls.add(source.url);
    if (open instanceof MessageItem) open.addSource(source);
    else waitingSources.push(source);
  };
  const addImage = (url: string) => {
    const base64 = findBase64(url);
    if (base64 === undefined) return openMessage().addText(describeImage(url));
    closeOpen();
    items.push(new ImageItem(items.length, emit, base64));
  };
  const addCall = (delta: ToolCallDelta) => {
    let call = findContinuedCall(calls, delta);
    if (!call) {
      if (calls.length >= MAX_TOOL_CALLS) return;
      call = new CallItem(delta, emit, (name) => tools.byName.get(name));
      calls.push(call);
    }
    call.add(delta);
    if (!call.canBegin) return;
    closeOpen();
    call.begin(items.length);
    items.push(call);
  };

  return {
    add(part: ChatPart): void {
      switch (part.type) {
        case 'reasoning-delta':
          openReasoning().add(part.text, part.mustBeSentBack ?? false);
          break;
        case 'text-delta':
          openMessage().addText(part.text, part.logprobs);
          for (const source of waitingSources.splice(0)) openMessage().addSource(source);
          break;
        case 'refusal-delta':
          openMessage().addRefusal(part.text);
          break;
        case 'image':
          addImage(part.url);
          break;
        case 'source':
          addSource(part.source);
          break;
        case 'tool-call-delta':
          addCall(part);
          break;
        case 'usage':
        case 'finish':
          break;
      }
    },
    /** Closes the items. The last one has the status, all others are complete. */
    close(status: Exclude<ItemStatus, 'in_progress'>): void {
      // Clients expect an answer, even an empty one.
      const isAnswered = items.some((item) => !(item instanceof ReasoningItem));
      if (!isAnswered && status === 'completed') openMessage();
      const last = items.at(-1);
      for (const item of items) {
        const isOpen = item === open || item instanceof CallItem;
        if (isOpen) item.close(item === last ? status : 'completed');
      }
      open = undefined;
      const extraContent = new Map(calls.flatMap((call) => (call.extraContent ? [call.extraContent] : [])));
      if (wantsEncryptedReasoning && extraContent.size > 0 && status === 'completed') {
        items.push(new ExtraContentItem(items.length, emit, extraContent));
      }
    },
    /** Returns the items so far, in order. */
    print: (): readonly JsonObject[] => items.map((item) => item.print()),
  };
}
