import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from "hyparquet";
import { CliError } from "../cli-error.ts";
import { kinds, statuses } from "./span-rows.ts";
import { columnNames } from "./span-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Maximum number of spans of a message. A larger trace becomes several messages. */
const messageSpans = 2_000;
/** Limits of a row group, which is read at once. `tracing export` makes smaller groups, except for a huge span. */
const maxGroupRows = 100_000n;
const maxGroupBytes = 256n * 1024n * 1024n;
/** Maximum number of bytes of a file's index, which names its columns and row groups. */
const maxIndexBytes = 16 * 1024 * 1024;

/** The span of a row, with its resource and scope. */
interface RowSpan {
  readonly traceId: string;
  /** Resource and scope as JSON. Neighbours with the same text are in one group of the message. */
  readonly group: string;
  readonly span: Json;
}

/**
 * The traces of a file that `tracing export --format parquet` wrote: messages of OTLP JSON, each with spans of one
 * trace. The same file always makes the same messages.
 * @throws CliError for an incomplete file, and for a file that `tracing export` did not write
 */
export async function* readParquetTraces(path: string): AsyncGenerator<string> {
  const told = (error: unknown) =>
    error instanceof CliError
      ? error
      : new CliError(`${path} cannot be read as Parquet: ${(error as Error).message}`, 1, { cause: error });
  try {
    const file = await openFile(path);
    let spans: RowSpan[] = [];
    for await (const row of rowsOf(file, await indexOf(file, path))) {
      const span = spanOf(row);
      if (spans.length === messageSpans || (spans.length > 0 && spans[0]?.traceId !== span.traceId)) {
        yield messageOf(spans);
        spans = [];
      }
      spans.push(span);
    }
    if (spans.length > 0) {
      yield messageOf(spans);
    }
  } catch (error) {
    throw told(error);
  }
}

async function openFile(path: string): Promise<AsyncBuffer> {
  const file = await asyncBufferFromFile(path);
  return {
    byteLength: file.byteLength,
    slice(start, end) {
      const read = (async () => file.slice(start, end))();
      // hyparquet may stop at another error before it waits for this range.
      read.catch(() => {});
      return read;
    },
  };
}

/** Reads the index of the file, and checks the columns and the sizes of the row groups. */
async function indexOf(file: AsyncBuffer, path: string): Promise<FileMetaData> {
  const tail = new DataView(await file.slice(Math.max(0, file.byteLength - 8), file.byteLength));
  if (tail.byteLength < 8 || tail.getUint32(0, true) > maxIndexBytes) {
    throw new CliError(`${path} is cut, or its index has more than ${maxIndexBytes} bytes`);
  }
  const metadata = await parquetMetadataAsync(file);
  const names = new Set(metadata.schema.map(({ name }) => name));
  const missing = columnNames.filter((name) => !names.has(name));
  if (missing.length > 0) {
    throw new CliError(
      `${path} was not written by tracing export: it has no column ${missing.join(", ")}; ` +
        "tracing-storage import and import-tempo read other files",
    );
  }
  const large = metadata.row_groups.findIndex(
    ({ total_byte_size: bytes, num_rows: rows }) => bytes > maxGroupBytes || rows > maxGroupRows,
  );
  if (large !== -1) {
    throw new CliError(
      `${path}: row group ${large} has more than ${maxGroupBytes} bytes or ${maxGroupRows} rows`,
    );
  }
  return metadata;
}

async function* rowsOf(file: AsyncBuffer, metadata: FileMetaData): AsyncGenerator<Json> {
  const parsers = { timestampFromNanoseconds: (nano: bigint) => nano as unknown as Date };
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    yield* await parquetReadObjects({ file, metadata, rowStart, rowEnd, parsers });
    rowStart = rowEnd;
  }
}

function spanOf(row: Json): RowSpan {
  const { resourceSpans, resource, scopeSpans, scope, span } = (row.rest ?? {}) as Record<string, Json>;
  const start = row.start_time as bigint | undefined;
  const own = {
    ...{ traceId: row.trace_id, spanId: row.span_id },
    ...named({ parentSpanId: row.parent_span_id, traceState: row.trace_state, name: row.name }),
    kind: numberOf(row.kind, kinds, "SPAN_KIND_"),
    ...(start === undefined || start === null
      ? {}
      : {
          startTimeUnixNano: String(start),
          endTimeUnixNano: String(start + ((row.duration_nano as bigint | null) ?? 0n)),
        }),
    attributes: attributesOf(row, "attributes", span),
    events: ((row.events ?? []) as Json[]).map(eventOf),
    links: ((row.links ?? []) as Json[]).map(linkOf),
    status: {
      code: numberOf(row.status, statuses, "STATUS_CODE_"),
      ...named({ message: row.status_message }),
    },
    ...span,
  };
  const group = {
    ...resourceSpans,
    resource: { attributes: attributesOf(row, "resource_attributes", resource), ...resource },
    scopeSpans: {
      ...scopeSpans,
      scope: {
        ...named({ name: row.scope_name, version: row.scope_version }),
        attributes: attributesOf(row, "scope_attributes", scope),
        ...scope,
      },
    },
  };
  return { traceId: String(row.trace_id), group: JSON.stringify(group), span: own };
}

function eventOf(event: Json): Json {
  const rest = (event.rest ?? {}) as Json;
  const { time } = event as { readonly time?: bigint | null };
  return {
    ...(time === undefined || time === null ? {} : { timeUnixNano: String(time) }),
    ...named({ name: event.name }),
    attributes: attributesOf(event, "attributes", rest),
    ...rest,
  };
}

function linkOf(link: Json): Json {
  const rest = (link.rest ?? {}) as Json;
  return {
    ...named({ traceId: link.trace_id, spanId: link.span_id, traceState: link.trace_state }),
    attributes: attributesOf(link, "attributes", rest),
    ...rest,
  };
}

/** The attributes of a map and its `typed_` column, in the order of the map; the list in `rest` takes precedence. */
function attributesOf(row: Json, name: string, rest: Json | undefined): unknown {
  if (rest?.attributes !== undefined) {
    return rest.attributes;
  }
  const typed = (row[`typed_${name}`] ?? {}) as Json;
  return Object.entries((row[name] ?? {}) as Readonly<Record<string, string>>).map(([key, text]) => ({
    key,
    value: Object.hasOwn(typed, key) ? typed[key] : { stringValue: text },
  }));
}

/** The members that are not null. */
function named(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** The number of an enum's short name. An unknown name becomes OTLP's own name, and digits become a number. */
function numberOf(value: unknown, names: readonly string[], prefix: string): number | string {
  const name = String(value ?? names[0]);
  const number = names.indexOf(name);
  return number !== -1 ? number : /^\d+$/.test(name) ? Number(name) : `${prefix}${name.toUpperCase()}`;
}

function messageOf(spans: readonly RowSpan[]): string {
  const resourceSpans: Json[] = [];
  let at = 0;
  while (at < spans.length) {
    const group = spans[at]?.group ?? "";
    const from = at;
    while (spans[at]?.group === group) {
      at++;
    }
    const { scopeSpans, ...others } = JSON.parse(group) as { scopeSpans: Json };
    const own = spans.slice(from, at).map(({ span }) => span);
    resourceSpans.push({ ...others, scopeSpans: [{ ...scopeSpans, spans: own }] });
  }
  return JSON.stringify({ resourceSpans });
}
