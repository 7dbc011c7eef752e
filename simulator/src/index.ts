export type { LoggedCall } from './bot-api/call-log.ts';
export type { Clock } from './clock.ts';
export type { Control } from './control/control.ts';
export type { NewFile } from './control/write-as-person.ts';
export type {
  BotMembership,
  BotRights,
  BotSettings,
  BotView,
  ButtonPress,
  ButtonPressed,
  ChatMessage,
  ChatView,
  CommandSet,
  ControlError,
  ControlEvent,
  ControlState,
  DraftView,
  Fault,
  FaultKind,
  FileKind,
  GroupUpgrade,
  InlineChoice,
  InlineFile,
  InlineRequest,
  InlineRequested,
  MemberChange,
  MessageEdit,
  NewChat,
  NewFileMessage,
  NewMessage,
  NewPerson,
  NewTopic,
  Person,
  PersonChange,
  Reaction,
  RichSource,
  TopicDeletion,
} from './control-protocol.ts';
export { COVERAGE, type Coverage, PARTIAL_REMARKS } from './coverage.ts';
export { createSimulator, type Simulator, type SimulatorOptions } from './create-simulator.ts';
export { type ListeningSimulator, listenSimulator } from './listen-simulator.ts';
export { toBotFileId } from './world/file-store.ts';
export { parseSnapshot, type WorldSnapshot } from './world/snapshot.ts';
