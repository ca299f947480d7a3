export async function suiteCommand(_argv: readonly string[], _signal: AbortSignal): Promise<number> {
  return 1;
}
