import type { BotCommand, BotCommandScope, ChatAdministratorRights, MenuButton } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { CommandSet } from '../../control-protocol.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { publishBot } from '../../world/chats.ts';
import type { Call, MethodHandler } from '../call.ts';
import { type Params, readArray, readInteger, readObject, readString } from '../params.ts';

const MAX_COMMANDS = 100;
const MAX_COMMAND_DESCRIPTION = 256;
const SCOPES: readonly string[] = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
  'chat',
  'chat_administrators',
  'chat_member',
] satisfies readonly BotCommandScope['type'][];

function setMyCommands(call: Call): true {
  const { bot, world, params } = call;
  const commands = (readArray(params, 'commands') ?? []).map(readCommand);
  if (commands.length > MAX_COMMANDS) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  const set: CommandSet = { ...readScope(call), commands };
  if (commands.length === 0) bot.commandSets.delete(keyOf(set));
  else bot.commandSets.set(keyOf(set), set);
  publishBot(world, bot);
  return true;
}

function getMyCommands(call: Call): readonly BotCommand[] {
  return [...(call.bot.commandSets.get(keyOf(readScope(call)))?.commands ?? [])];
}

function deleteMyCommands(call: Call): true {
  call.bot.commandSets.delete(keyOf(readScope(call)));
  publishBot(call.world, call.bot);
  return true;
}

function keyOf({ scope, chatId, userId, languageCode }: Omit<CommandSet, 'commands'>): string {
  return [scope, chatId, userId, languageCode].join(' ');
}

function readScope({ params }: Call): Omit<CommandSet, 'commands'> {
  const scope: JsonObject = readObject(params, 'scope') ?? { type: 'default' };
  const type = String(scope.type);
  if (!SCOPES.includes(type)) throw badRequest("can't parse BotCommandScope: unsupported type specified");
  const chatId = readInteger(scope, 'chat_id');
  const userId = readInteger(scope, 'user_id');
  if (type.startsWith('chat') && chatId === undefined) throw badRequest('chat_id is empty');
  return {
    scope: type,
    ...(chatId === undefined ? {} : { chatId }),
    ...(userId === undefined ? {} : { userId }),
    languageCode: readLanguageCode(params),
  };
}

function readLanguageCode(params: Params): string {
  const code = readString(params, 'language_code') ?? '';
  if (!/^([a-z]{2})?$/.test(code)) throw badRequest('invalid language code specified');
  return code;
}

function readCommand(value: unknown): BotCommand {
  if (!isJsonObject(value)) throw badRequest("can't parse BotCommand: expected an Object");
  const command = String(value.command ?? '').replace(/^\//, '');
  const description = String(value.description ?? '');
  if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
  if (description.length < 1 || description.length > MAX_COMMAND_DESCRIPTION) {
    throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
  }
  return { command, description };
}

type ProfileField = 'names' | 'descriptions' | 'shortDescriptions';

function profileText(
  field: ProfileField,
  param: string,
  maxLength: number,
): { get: MethodHandler; set: MethodHandler } {
  return {
    get({ bot, params }) {
      const texts = bot[field];
      return { [param]: texts.get(readLanguageCode(params)) ?? texts.get('') ?? '' };
    },
    set({ bot, world, params }) {
      const text = readString(params, param)?.trim() ?? '';
      if (text.length > maxLength) throw badRequest(`bot ${param.replace('_', ' ')} is too long`);
      const language = readLanguageCode(params);
      if (text === '' && language === '' && field === 'names') throw badRequest('bot name must be non-empty');
      if (text === '') bot[field].delete(language);
      else bot[field].set(language, text);
      publishBot(world, bot);
      return true;
    },
  };
}

const name = profileText('names', 'name', 64);
const description = profileText('descriptions', 'description', 512);
const shortDescription = profileText('shortDescriptions', 'short_description', 120);

function setChatMenuButton({ bot, params }: Call): true {
  const button = readObject(params, 'menu_button') ?? { type: 'default' };
  if (!isMenuButton(button)) throw badRequest("can't parse MenuButton: unsupported type specified");
  const chatId = readInteger(params, 'chat_id') ?? 0;
  if (button.type === 'default') bot.menuButtons.delete(chatId);
  else bot.menuButtons.set(chatId, button);
  return true;
}

function isMenuButton(button: unknown): button is MenuButton {
  return isJsonObject(button) && ['default', 'commands', 'web_app'].includes(String(button.type));
}

function getChatMenuButton({ bot, params }: Call): MenuButton {
  const chatId = readInteger(params, 'chat_id') ?? 0;
  return bot.menuButtons.get(chatId) ?? bot.menuButtons.get(0) ?? { type: 'commands' };
}

function getMyDefaultAdministratorRights(): ChatAdministratorRights {
  return {
    is_anonymous: false,
    can_manage_chat: false,
    can_delete_messages: false,
    can_manage_video_chats: false,
    can_restrict_members: false,
    can_promote_members: false,
    can_change_info: false,
    can_invite_users: false,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_send_welcome_messages: false,
  };
}

/** Methods for the bot's profile: commands, name, descriptions, menu button. */
export const profileMethods: { readonly [method: string]: MethodHandler } = {
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setMyName: name.set,
  getMyName: name.get,
  setMyDescription: description.set,
  getMyDescription: description.get,
  setMyShortDescription: shortDescription.set,
  getMyShortDescription: shortDescription.get,
  setChatMenuButton,
  getChatMenuButton,
  getMyDefaultAdministratorRights,
};
