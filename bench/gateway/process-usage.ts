import { readFileSync, writeFileSync } from 'node:fs';

/** Linux reports CPU time to user space in hundredths of a second, independent of the kernel's tick. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of a process so far, all threads, user and system. From `/proc`, see proc(5). */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may contain spaces. After it, utime and stime are the 12th and 13th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the resident memory of a process in MiB: now, and the peak since its start or since `forgetPeakMemory`. */
export function readMemory(pid: number): { readonly now: number; readonly peak: number } {
  return { now: readStatusKib(pid, 'VmRSS') / 1024, peak: readStatusKib(pid, 'VmHWM') / 1024 };
}

/** Resets the peak, see `clear_refs` in proc(5). */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the CPU cores that this process may use. */
export function readAllowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function readStatusKib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)?.[1]);
}
