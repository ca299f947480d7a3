/** A measured run in both forms. The text is always made, because this saves the run. */
export interface Report {
  /** The table, with ratios to peers and to the saved run. */
  readonly text: string;
  /** The results as measured. */
  readonly json: unknown;
}

type Sink = Pick<NodeJS.WritableStream, "write">;

/**
 * Writes the table. With `--json`, the table goes to standard error, like progress, and standard output has only the
 * results as JSON.
 */
export function printReport(
  { text, json }: Report,
  asJson: boolean,
  output: Sink = process.stdout,
  errors: Sink = process.stderr,
): void {
  if (!asJson) {
    output.write(text);
    return;
  }
  errors.write(text);
  output.write(`${JSON.stringify(json, null, 2)}\n`);
}
