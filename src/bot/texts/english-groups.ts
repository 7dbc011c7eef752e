/** Texts about groups, in English. */
export const englishGroups = {
  onlyAdmins: 'Only admins of this group can change its settings.',
  anonymous:
    'You are posting as the group, so I can’t see who you are. Post as yourself to get an answer; buttons work either way.',
  noVision:
    'But Telegram only shows me messages addressed to me. To let me see the others, make me an admin of this group. Or turn off my privacy mode in @BotFather (/setprivacy), add me to the group again and turn this on once more.',
};
