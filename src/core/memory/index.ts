export {
  createMemories,
  MAX_MEMORIES,
  type Memories,
  type Memory,
  type MemorySource,
  moveMemories,
} from './memories.ts';
export { MAX_MEMORY_CHARACTERS, toMemoryText } from './memory-text.ts';
export { rankMemories, searchMemories, selectMemories } from './rank-memories.ts';
