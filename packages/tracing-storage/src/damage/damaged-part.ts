import { engineErrorCodes as codes, type EngineError } from "../engine-error.ts";

/** A part of a table, as in the engine's errors. */
export interface PartName {
  readonly tableUuid: string;
  readonly part: string;
}

/** Errors that always mean damaged bytes on the disk. */
const certain: ReadonlySet<number> = new Set([
  codes.TOO_LARGE_SIZE_COMPRESSED,
  codes.CHECKSUM_DOESNT_MATCH,
  codes.CORRUPTED_DATA,
  codes.CANNOT_DECOMPRESS,
  codes.ZLIB_INFLATE_FAILED,
  codes.UNKNOWN_CODEC,
]);

/** Errors that damage may cause, but other faults too. */
const possible: ReadonlySet<number> = new Set([
  codes.UNEXPECTED_END_OF_FILE,
  codes.CANNOT_PARSE_INPUT_ASSERTION_FAILED,
  codes.ATTEMPT_TO_READ_AFTER_EOF,
  codes.CANNOT_READ_ALL_DATA,
  codes.CANNOT_READ_FROM_FILE_DESCRIPTOR,
  codes.CANNOT_OPEN_FILE,
  codes.FILE_DOESNT_EXIST,
  codes.INCORRECT_DATA,
  codes.NO_FILE_IN_DATA_PART,
  codes.BAD_SIZE_OF_FILE_IN_DATA_PART,
]);

/** Folder of a part in the engine's folder: `store/506/<uuid of the table>/<part>/`. */
const partFolder =
  /store\/[0-9a-f]{3}\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([A-Za-z0-9_-]{1,200})\//;

/**
 * Finds the part that an error's text names.
 * @returns undefined for errors that damage does not cause, and for errors without a part
 */
export function damagedPart({ code, message }: EngineError): (PartName & { isCertain: boolean }) | undefined {
  const isCertain = certain.has(code);
  if (!isCertain && !possible.has(code)) {
    return undefined;
  }
  const part = partFileOf(message);
  return part === undefined ? undefined : { ...part, isCertain };
}

/** The part whose folder is in a path or message; undefined without such a folder. */
export function partFileOf(text: string): PartName | undefined {
  const found = partFolder.exec(text);
  return found === null ? undefined : { tableUuid: found[1] as string, part: found[2] as string };
}
