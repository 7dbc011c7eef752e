import { useState } from 'preact/hooks';
import type { Conversation } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useTimeFormat } from '../../../formats.ts';
import type { Page, PageProps } from '../../../page.ts';
import { toAddress } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice, Field, useSearch } from '../../../ui/field.tsx';
import { Filters } from '../../../ui/filters.tsx';
import { Paged } from '../../../ui/loaded.tsx';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { ConversationView, toName } from './conversation-view.tsx';
import { texts } from './texts.ts';

/** Conversations of the private chat with the bot. */
export const conversationsPage: Page = {
  name: 'conversations',
  title: { en: 'Conversations', ru: 'Разговоры' },
  icon: 'chat',
  isForAdmins: false,
  View: ConversationsView,
};

const STATES = ['open', 'archived'] as const;

/** The list, or the conversation of the address. */
function ConversationsView({ rest: [id] }: PageProps) {
  return id ? <ConversationView key={id} id={id} /> : <ConversationList />;
}

function ConversationList() {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const { search, field } = useSearch();
  const [state, setState] = useState<(typeof STATES)[number]>('open');
  const filter = new URLSearchParams({ limit: '30', ...(state === 'archived' && { archived: 'true' }) });
  if (search !== '') filter.set('search', search);
  const conversations = usePages<Conversation>(`api/me/conversations?${filter}`);
  return (
    <>
      <Filters search={<Field label={shared.search} {...field} />} values={state === 'open' ? [] : [state]}>
        <Choice
          label={words.shown}
          value={state}
          options={STATES.map((value) => [value, words.states[value]])}
          onChange={setState}
        />
      </Filters>
      <Card>
        <Paged pages={conversations} empty={search === '' ? words.none : words.noneFound(search)}>
          {(items) => (
            <ul class="conversations">
              {items.map((each) => (
                <ConversationLink key={each.id} conversation={each} />
              ))}
            </ul>
          )}
        </Paged>
      </Card>
    </>
  );
}

function ConversationLink({ conversation }: { readonly conversation: Conversation }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const { id, message_count: count, last_message_at: lastMessageAt, is_current: isCurrent } = conversation;
  return (
    <li>
      <a href={toAddress('conversations', id)}>
        <strong>{toName(conversation, words.untitled)}</strong> {isCurrent && <Badge>{words.current}</Badge>}
        <span class="dim">{words.facts(count, formatTime(lastMessageAt))}</span>
      </a>
    </li>
  );
}
