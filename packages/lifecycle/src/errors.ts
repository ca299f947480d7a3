/**
 * The reason why a process cannot start, in one line that names the fault and its remedy. Only this message is printed,
 * without a stack, and the process exits with code 1.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/**
 * Turns the error of a `listen` call into a `StartError`, whose cause is the original error.
 * @param what name of the listener in the message: "OTLP over gRPC"
 * @param address host and port in the form of the option: ":4317"
 * @param flag the option that changes the address, without dashes
 */
export function listenError(error: unknown, what: string, address: string, flag?: string): StartError {
  const move = flag === undefined ? "" : `, or choose another with --${flag}`;
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return new StartError(
        `${what}: address ${address} is taken by another program: stop that program${move}`,
        { cause: error },
      );
    case "EACCES":
      return new StartError(
        `${what}: no right to listen on ${address}: ports below 1024 need more rights${move}`,
        { cause: error },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new StartError(`${what}: ${address} is not an address of this machine${move}`, { cause: error });
    default:
      return new StartError(
        `${what}: cannot listen on ${address}: ${error instanceof Error ? error.message : String(error)}${move}`,
        { cause: error },
      );
  }
}

/**
 * Turns a file system error on a data folder into a `StartError`.
 * @param what content of the folder, for the message: "the journal"
 */
export function folderError(error: unknown, what: string, path: string, flag?: string): StartError {
  const move = flag === undefined ? "" : `, or choose another folder with --${flag}`;
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StartError(
        `${what}: no right to write to the folder ${path}: give this user the right${move}`,
        {
          cause: error,
        },
      );
    case "ENOTDIR":
    case "EEXIST":
      return new StartError(`${what}: ${path} is a file, not a folder: move it away${move}`, {
        cause: error,
      });
    case "ENOSPC":
      return new StartError(`${what}: the disk of ${path} is full: make room${move}`, { cause: error });
    default:
      return new StartError(
        `${what}: cannot use the folder ${path}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
  }
}
