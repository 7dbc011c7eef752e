import { ageOf } from '../../../texts/age.ts';
import { pluralOf } from '../../../texts/plural.ts';

const conversations = (count: number) => pluralOf('en', count, { one: 'conversation', other: 'conversations' });
const AGE = { now: 'now', minute: 'min', hour: 'h', day: 'd', year: 'y' };

export const english = {
  commands: {
    new: 'Start a new conversation',
    threads: 'Your conversations: continue, find, delete',
  },
  started: 'New conversation started. I won’t use earlier messages.',
  buttons: {
    continue: 'Continue here',
    rename: 'Rename',
    archive: 'Archive',
    unarchive: 'Unarchive',
    export: 'Export',
    continueByApi: 'Continue by API',
    share: 'Share as a page',
    delete: 'Delete',
    deleteForGood: 'Yes, delete it',
    keep: 'Keep it',
    archived: 'Archived',
    all: 'All conversations',
  },
  heading: (count: number, isGroup: boolean) =>
    `${isGroup ? 'Conversations here' : 'Your conversations'} (${count}). ✓ marks the current one; the number is its messages.`,
  headingArchived: (count: number) => `Archived: ${conversations(count)}.`,
  found: (count: number, search: string) => `${conversations(count)} with “${search}”.`,
  noneFound: (search: string) => `No conversation matches “${search}”.`,
  empty: 'No conversations here yet. Send me a message to start one.',
  emptyArchive: 'The archive is empty.',
  age: (ms: number) => ageOf(ms, AGE),
  facts: (count: number, ageMs: number) =>
    `${pluralOf('en', count, { one: 'message', other: 'messages' })}, ${ageMs < 60_000 ? 'the last one just now' : `the last one ${ageOf(ageMs, AGE)} ago`}`,
  isCurrent: 'This is the current conversation.',
  isArchived: 'It is archived.',
  asked: (isGroup: boolean): string => (isGroup ? 'Asked' : 'You'),
  answered: 'Answer',
  photo: '[photo]',
  continued: (title: string) => `“${title}” continues here. This is where we were:`,
  continuedInTopic: (title: string) => `“${title}” continues in its topic.`,
  noAnswerYet: 'This conversation has no answer to continue yet.',
  continueByApi: (id: string, url: string) =>
    `To continue this conversation by API, send its next message to\n\n${url}\n\nwith this previous_response_id:\n\n${id}\n\nIt works with your own API keys (/key). What you write there appears here.`,
  gone: 'This conversation no longer exists.',
  askSearch: 'Which conversation? Send me words from its title or its messages.',
  askTitle: 'Send me the new title.',
  badTitle: 'A title needs words. Send me another one.',
  renamed: 'Renamed.',
  askDeletion: 'Delete this conversation for good? I will forget all its messages. The messages in this chat stay.',
  deleted: (title: string) => `“${title}” is deleted.`,
  busy: 'An answer is being written in it. Wait until it is finished, or use /stop.',
  onlyOwner: 'Only the user who started this conversation and admins of this group can do that.',
  notYours: 'Someone else started this conversation. Send me your own question.',
};
