/**
 * Measures spans per second of CPU time, after a warm-up of half a second; other work on the machine does not count.
 * @param work one round, which processes `spansPerRound` spans
 * @param seconds duration of the measurement
 */
export function spansPerCpuSecond(work: () => void, spansPerRound: number, seconds: number): number {
  const warmUntil = performance.now() + 500;
  while (performance.now() < warmUntil) {
    work();
  }
  // The clock is read only once for about 2000 spans.
  const rounds = Math.max(1, Math.round(2000 / spansPerRound));
  const before = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let spans = 0;
  while (performance.now() < end) {
    for (let round = 0; round < rounds; round++) {
      work();
    }
    spans += rounds * spansPerRound;
  }
  const { user, system } = process.cpuUsage(before);
  return Math.round((spans * 1_000_000) / (user + system));
}
