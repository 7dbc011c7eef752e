/** The bot's own words about groups, in English. */
export const englishGroups = {
  onlyAdmins: 'Only admins of this group can change its settings.',
  anonymous:
    'You are writing as the group, so I can’t see who you are. Write as yourself to get an answer; buttons work either way.',
  memoryIsOff:
    'I don’t remember messages here, so I can’t summarise them. An admin can switch that on in /settings. Reply with /summarise to summarise a single message.',
  heardNothing: 'There are no recent messages here.',
  blind:
    'But Telegram only shows me messages addressed to me. To let me see the others, make me an admin of this group, or turn off privacy mode at @BotFather (/setprivacy), add me to the group again and switch this on once more.',
};
