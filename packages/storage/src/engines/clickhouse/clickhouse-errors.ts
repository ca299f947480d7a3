import { ClickHouseError } from "@clickhouse/client";
import { StorageError, type StorageErrorCode } from "../../api/storage-error.ts";
import { errorCodes as codes } from "./error-codes.ts";

/** ClickHouse's error codes with a special meaning; all other codes are refusals. */
const codeMeanings: ReadonlyMap<number, StorageErrorCode> = new Map([
  [codes.TIMEOUT_EXCEEDED, "STORAGE_TIMEOUT"],
  [codes.TOO_SLOW, "STORAGE_TIMEOUT"],
  [codes.DNS_ERROR, "STORAGE_UNAVAILABLE"], // about another server
  [codes.TOO_MANY_SIMULTANEOUS_QUERIES, "STORAGE_UNAVAILABLE"],
  [codes.SOCKET_TIMEOUT, "STORAGE_UNAVAILABLE"],
  [codes.NETWORK_ERROR, "STORAGE_UNAVAILABLE"],
  [codes.NO_ZOOKEEPER, "STORAGE_UNAVAILABLE"],
  [codes.ABORTED, "STORAGE_UNAVAILABLE"], // the server is stopping
  [codes.MEMORY_LIMIT_EXCEEDED, "STORAGE_UNAVAILABLE"],
  [codes.TABLE_IS_READ_ONLY, "STORAGE_UNAVAILABLE"], // a replica without its keeper
  [codes.NOT_ENOUGH_SPACE, "STORAGE_UNAVAILABLE"],
  [codes.TOO_MANY_PARTS, "STORAGE_UNAVAILABLE"],
  [codes.ALL_CONNECTION_TRIES_FAILED, "STORAGE_UNAVAILABLE"],
  [codes.TOO_FEW_LIVE_REPLICAS, "STORAGE_UNAVAILABLE"],
  [codes.UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, "STORAGE_UNAVAILABLE"],
  [codes.UNKNOWN_STATUS_OF_INSERT, "STORAGE_UNAVAILABLE"],
  [codes.QUERY_WAS_CANCELLED, "STORAGE_UNAVAILABLE"], // and not by us
  [codes.CANNOT_SCHEDULE_TASK, "STORAGE_UNAVAILABLE"],
  [codes.KEEPER_EXCEPTION, "STORAGE_UNAVAILABLE"],
]);

/**
 * Error codes for invalid rows of an insert. After any other error, such as wrong credentials or a disk error, the rows
 * are kept and sent again.
 */
const badRowsCodes: ReadonlySet<number> = new Set([
  codes.CANNOT_PARSE_INPUT_ASSERTION_FAILED,
  codes.ATTEMPT_TO_READ_AFTER_EOF,
  codes.CANNOT_READ_ALL_DATA,
  codes.BAD_ARGUMENTS,
  codes.INCORRECT_DATA,
  codes.TOO_LARGE_ARRAY_SIZE,
  codes.TOO_LARGE_STRING_SIZE,
  codes.TOO_MANY_BYTES, // the body is over the limit of `tracing-storage`
  codes.UNKNOWN_ELEMENT_OF_ENUM,
]);

/**
 * Error codes for faults of one server that other servers may not have. Errors that all servers would report are left
 * out: a query that needs too much memory, too many parts, too few replicas for a quorum.
 */
const hostFaultCodes: ReadonlySet<number> = new Set([
  codes.DNS_ERROR,
  codes.SOCKET_TIMEOUT,
  codes.NETWORK_ERROR,
  codes.NO_ZOOKEEPER,
  codes.ABORTED,
  codes.TABLE_IS_READ_ONLY,
  codes.NOT_ENOUGH_SPACE,
  codes.ALL_CONNECTION_TRIES_FAILED,
  codes.UNKNOWN_STATUS_OF_INSERT,
  codes.KEEPER_EXCEPTION,
]);

/** Error codes for damaged data on the disk of one server. Other replicas have their own copy of the data. */
const damageCodes: ReadonlySet<number> = new Set([
  codes.CANNOT_READ_ALL_DATA,
  codes.TOO_LARGE_SIZE_COMPRESSED,
  codes.CHECKSUM_DOESNT_MATCH,
  codes.CANNOT_READ_FROM_FILE_DESCRIPTOR,
  codes.FILE_DOESNT_EXIST,
  codes.NO_FILE_IN_DATA_PART,
  codes.BAD_SIZE_OF_FILE_IN_DATA_PART,
  codes.CORRUPTED_DATA,
  codes.CANNOT_DECOMPRESS,
  codes.UNKNOWN_CODEC,
]);

/** Error codes of a server that refuses the configured user or password, for example while the password is changed. */
const credentialsCodes: ReadonlySet<number> = new Set([
  codes.UNKNOWN_USER,
  codes.WRONG_PASSWORD,
  codes.REQUIRED_PASSWORD,
  codes.AUTHENTICATION_FAILED,
]);

/** Error codes of a server that cannot reach its Keeper. */
const keeperCodes: ReadonlySet<number> = new Set([
  codes.NO_ZOOKEEPER,
  codes.TABLE_IS_READ_ONLY,
  codes.KEEPER_EXCEPTION,
]);
export const keeperAway =
  "the Keeper is away (NO_ZOOKEEPER), so nothing can be written until it is back, while reads go on";

/** Error codes of a query that exceeded its time limit. */
const tooLongCodes: ReadonlySet<number> = new Set([codes.TIMEOUT_EXCEEDED, codes.TOO_SLOW]);
const readsTooLong = "the question takes too long: ask about a shorter time, or name a service or a tag";
const memoryCode = codes.MEMORY_LIMIT_EXCEEDED;
/** This text precedes the engine's text, which may be long, because it names the part of the query that was running. */
const readsTooMuchMemory =
  "the question needs more memory than one may use (max_memory_usage, --storage.max-query-memory): ask about a shorter time, or name a service or a tag";
const insertTooLong = "the insert takes too long: it is tried again";

const endedEarlyCode = codes.ATTEMPT_TO_READ_AFTER_EOF;

/** Error codes of connections that were never established, so the request was not sent. */
const neverSentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const tableThereCode = codes.TABLE_ALREADY_EXISTS;
const replicaThereCode = codes.REPLICA_ALREADY_EXISTS;
const cannotAssignAlterCode = codes.CANNOT_ASSIGN_ALTER;
const unknownSettingCode = codes.UNKNOWN_SETTING;

const missingSchemaCodes: ReadonlySet<number> = new Set([codes.UNKNOWN_TABLE, codes.UNKNOWN_DATABASE]);

/** Maximum length of an engine's error text in our message. `cause` has the whole text. */
const maxMessageLength = 500;

/** Facts about a failed call, in addition to its error. */
export interface FailedCall {
  /** Address without credentials. */
  readonly url: string;
  /** Milliseconds that the call was allowed, for the message. */
  readonly timeoutMs: number;
  /** True when the caller's signal was aborted. */
  readonly aborted: boolean;
  /** True when our time limit passed. */
  readonly timedOut: boolean;
  /** True when the call inserts rows. */
  readonly isInsert: boolean;
}

/** Turns any exception of a ClickHouse call into the package's error. Only this function interprets error codes. */
export function toStorageError(error: unknown, call: FailedCall): StorageError {
  if (error instanceof StorageError) {
    return error;
  }
  const options = { cause: error };
  if (call.aborted) {
    return new StorageError("STORAGE_ABORTED", "the caller gave up", options);
  }
  if (call.timedOut) {
    const advice = call.isInsert ? "" : `: ${readsTooLong}`;
    const message = `storage at ${call.url} did not answer within ${call.timeoutMs} ms${advice}`;
    return new StorageError("STORAGE_TIMEOUT", message, options);
  }
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ClickHouseError) {
    const code = meaningOf(Number(error.code), call.isInsert, text);
    const name = error.type ?? "error";
    const what = explanationOf(Number(error.code), call.isInsert, text);
    const message = `storage at ${call.url}: ${name} ${error.code}: ${what}${shorten(text)}`;
    return new StorageError(code, message, options);
  }
  // No answer came from ClickHouse: no process listens, a proxy answered, or the connection broke.
  const detail = text === "" ? connectionErrorCode(error) : shorten(text);
  return new StorageError(
    "STORAGE_UNAVAILABLE",
    `storage at ${call.url} cannot be reached: ${detail}`,
    options,
  );
}

/** Explains some error codes in plain words, which precede the engine's text. The result is empty for other codes. */
function explanationOf(code: number, isInsert: boolean, text: string): string {
  if (code === memoryCode && !isInsert && text.includes("Query memory limit")) {
    return `${readsTooMuchMemory}: `;
  }
  if (keeperCodes.has(code)) {
    return `${keeperAway}: `;
  }
  if (tooLongCodes.has(code)) {
    return `${isInsert ? insertTooLong : readsTooLong}: `;
  }
  return "";
}

function meaningOf(code: number, isInsert: boolean, text: string): StorageErrorCode {
  const blamesRows = badRowsCodes.has(code) && !betweenServers.test(text);
  // The replica was killed during the read, or its data is damaged. A repeated read uses another replica.
  if (!isInsert && (code === endedEarlyCode || damageCodes.has(code))) {
    return "STORAGE_UNAVAILABLE";
  }
  const refused = isInsert && !blamesRows ? "STORAGE_UNAVAILABLE" : "STORAGE_REFUSED";
  return codeMeanings.get(code) ?? refused;
}

/**
 * A server that loses another server of its cluster during a read reports that the data ended early. For this it uses
 * an error code that otherwise means invalid rows.
 */
const betweenServers =
  /while (?:receiving packet|reading) from |from server |Connection |DB::Exception: Received from/i;

/** True when the error says that the table already exists. */
export function isTableThere(error: unknown): boolean {
  return hasCode(error, tableThereCode);
}

/** True when a replica has not yet applied an ALTER that another replica accepted. A retry succeeds moments later. */
export function isAlterInTheWay(error: unknown): boolean {
  return hasCode(error, cannotAssignAlterCode);
}

/**
 * True when the Keeper already knows a replica with this name: the server has lost its tables, or two servers share a
 * name.
 */
export function isReplicaThere(error: unknown): boolean {
  return hasCode(error, replicaThereCode);
}

/** True when a query still uses a detached table, so that the table cannot be attached again yet. */
export function isTableInUse(error: unknown): boolean {
  return hasCode(error, tableThereCode);
}

/** True when the server is older than the setting. */
export function isUnknownSetting(error: unknown): boolean {
  return hasCode(error, unknownSettingCode);
}

function hasCode(error: unknown, code: number): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return cause instanceof ClickHouseError && Number(cause.code) === code;
}

/** True when no server answered, or the answer did not come from ClickHouse. */
export function isConnectionError(error: StorageError): boolean {
  return error.code === "STORAGE_UNAVAILABLE" && !(error.cause instanceof ClickHouseError);
}

/** True when another server may succeed where this server failed. */
export function isHostFault(error: StorageError): boolean {
  if (error.code !== "STORAGE_UNAVAILABLE") {
    return false;
  }
  if (!(error.cause instanceof ClickHouseError)) {
    return true;
  }
  const code = Number(error.cause.code);
  return hostFaultCodes.has(code) || code === endedEarlyCode || damageCodes.has(code);
}

/** Error codes of a server that could not reach another server of its cluster, or lost the connection to it. */
const neighbourCodes: ReadonlySet<number> = new Set([
  endedEarlyCode,
  codes.DNS_ERROR,
  codes.SOCKET_TIMEOUT,
  codes.NETWORK_ERROR,
  codes.ALL_CONNECTION_TRIES_FAILED,
]);

/** True when the server reports that another server of its cluster does not answer. */
export function isNeighbourFault(error: StorageError): boolean {
  return error.cause instanceof ClickHouseError && neighbourCodes.has(Number(error.cause.code));
}

/** True when the server refuses user or password. In this case, the server has not started the call. */
export function isCredentialsFault(error: StorageError): boolean {
  return error.cause instanceof ClickHouseError && credentialsCodes.has(Number(error.cause.code));
}

/** True when the server cannot have started the call. */
export function wasNeverSent(error: StorageError): boolean {
  const code = (error.cause as { readonly code?: unknown } | undefined)?.code;
  return isConnectionError(error) && typeof code === "string" && neverSentCodes.has(code);
}

/** True when the tables do not exist: the data folder was emptied, or the address now belongs to another server. */
export function isSchemaMissing(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return cause instanceof ClickHouseError && missingSchemaCodes.has(Number(cause.code));
}

/** An AggregateError of several addresses (IPv4 and IPv6 of localhost) has no message, only a code. */
function connectionErrorCode(error: unknown): string {
  return String((error as { code?: unknown }).code ?? "unknown error");
}

function shorten(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}
