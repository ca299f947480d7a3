import type { EngineError } from "../engine-error.ts";

/** A part of a table, as in the engine's errors. */
export interface PartName {
  readonly tableUuid: string;
  readonly part: string;
}

/**
 * ClickHouse's errors that always mean damaged bytes on disk: CHECKSUM_DOESNT_MATCH, CORRUPTED_DATA, CANNOT_DECOMPRESS,
 * UNKNOWN_CODEC, TOO_LARGE_SIZE_COMPRESSED.
 */
const certain: ReadonlySet<number> = new Set([40, 246, 271, 432, 354]);

/**
 * Codes of errors that damage may cause, but other faults too: UNEXPECTED_END_OF_FILE,
 * CANNOT_READ_FROM_FILE_DESCRIPTOR, CANNOT_PARSE_…, ATTEMPT_TO_READ_AFTER_EOF, CANNOT_READ_ALL_DATA, CANNOT_OPEN_FILE,
 * FILE_DOESNT_EXIST, INCORRECT_DATA, NO_FILE_IN_DATA_PART, BAD_SIZE_OF_FILE_IN_DATA_PART.
 */
const possible: ReadonlySet<number> = new Set([3, 21, 27, 32, 33, 76, 107, 117, 226, 228]);

/** Folder of a part in the engine's folder: `store/506/<uuid of the table>/<part>/`. */
const partFolder =
  /store\/[0-9a-f]{3}\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([A-Za-z0-9_-]{1,200})\//;

/**
 * Finds the part that an error's text names.
 * @returns undefined for other errors, and for errors without a part
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
