export { MAX_TALK_AGE_MS, type TalkLine } from './group-talk.ts';
export { createGroups, type Group, type GroupSettings, type Groups } from './groups.ts';
