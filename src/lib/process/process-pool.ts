import { type ProcessLimits, type ProcessProgram, startTaskProcess, type TaskProcess } from './run-in-process.ts';

export interface PoolLimits extends ProcessLimits {
  /** Number of tasks after which a process is replaced. */
  readonly maxTasks: number;
  /** Time after which an unused process is ended. */
  readonly idleMs: number;
}

/**
 * Returns a function that runs tasks like `runInProcess`, and reuses the processes of earlier tasks that succeeded. The
 * caller must limit the number of concurrent tasks.
 */
export function createProcessPool(
  program: ProcessProgram,
  { maxTasks, idleMs, ...limits }: PoolLimits,
): (data: unknown, signal: AbortSignal) => Promise<unknown> {
  const idle = new Set<TaskProcess>();

  const take = async (): Promise<TaskProcess> => {
    for (const child of idle) {
      idle.delete(child);
      if (await child.isReusable()) return child;
      void child.end();
    }
    return startTaskProcess(program, limits);
  };
  const keep = (child: TaskProcess) => {
    idle.add(child);
    child.unref();
    const { taskCount } = child;
    const endIfUnused = () => {
      if (child.taskCount === taskCount && idle.delete(child)) void child.end();
    };
    setTimeout(endIfUnused, idleMs).unref();
  };

  return async (data, signal) => {
    signal.throwIfAborted();
    const child = await take();
    try {
      const result = await child.run(data, signal);
      if (child.taskCount < maxTasks) keep(child);
      else void child.end();
      return result;
    } catch (error) {
      await child.end();
      throw error;
    }
  };
}
