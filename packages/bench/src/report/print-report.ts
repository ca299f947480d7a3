/** A measured run in both forms. The text is made in any case: that is what keeps a run. */
export interface Report {
  /** The table, with ratios to peers and to the run that was kept. */
  readonly text: string;
  /** The figures as they were measured. */
  readonly json: unknown;
}

type Sink = Pick<NodeJS.WritableStream, "write">;

/**
 * Writes the table. With `--json` that goes to standard error, where progress goes too, and standard output has nothing but the
 * figures as JSON.
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
