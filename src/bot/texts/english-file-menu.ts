import { englishSize } from './english-units.ts';
import { pluralOf } from './plural.ts';

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

/** The bot's own words about looking after files, in English. */
export const englishFileMenu = {
  buttons: {
    allFiles: 'All files',
    keep: 'Keep it',
    never: 'Never',
    /** How long from now; up to a day in hours. */
    after: (hours: number) =>
      hours < 24
        ? pluralOf('en', hours, { one: 'hour', other: 'hours' })
        : pluralOf('en', hours / 24, { one: 'day', other: 'days' }),
  },
  heading: (count: number, sizeBytes: number) => `Your files: ${count} (${englishSize(sizeBytes)} in total).`,
  found: (count: number, search: string) => `${files(count)} with “${search}” in the name.`,
  noneFound: (search: string) => `No file has “${search}” in its name.`,
  empty: 'You have no files here yet. Send me one to get a link to it.',
  onlyPrivate: 'Your files are private. Send me this command in our private chat.',
  askSearch: 'Which file? Send me a part of its name.',
  gone: 'This file is no longer there.',
  askName: 'Send me the new name. If you leave out the ending, it stays as it is.',
  badName: 'This can’t be a file name. Send me another one.',
  renamed: 'Renamed.',
  askExpiry: 'When should it expire? Time counts from now.',
  expirySaved: 'Saved.',
  askDeletion: 'Delete this file for good? The link will stop working.',
  deleted: (name: string) => `${name} is deleted. The link no longer works.`,
  whichFile: 'Which file? Write its link or its id after /delete.',
  unknownFile: 'There is no such file. Perhaps it has expired, or was deleted already.',
  askOwnerKey:
    'This file is not yours, as far as I know. Send me its owner key and I delete it. Your message with the key goes, too.',
  wrongOwnerKey: 'This is not the owner key of that file. Nothing was deleted. Send me the right one.',
  ownerKeyRemains: 'I could not remove your message with the owner key. Please delete it yourself.',
  inline: {
    noFiles: 'Send me files to share them here',
    noneFound: 'No file with such a name',
    link: (size: string) => `${size}, as a link`,
  },
};
