/** A fault that the user can correct. The program prints its text without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** Exit code of the program: 1 when a request or a file failed, 2 when the command line is wrong. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
