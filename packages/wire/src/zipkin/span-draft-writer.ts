import { timeMend } from "../api-v2/nano-times.ts";
import { attributeTypeCodes } from "../model/attribute.ts";
import { type SpanLink, spanFormats, spanKinds } from "../model/span.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import { writeAttributes, writeLink } from "../rows/span-row-writer.ts";
import type { SpanRows } from "../rows/span-rows.ts";
import { type EncodedEvent, parseEncodedEvent, parseEncodedLink } from "./encoded-text.ts";
import type { SpanDraft } from "./span-draft.ts";
import { linkTagPrefix, maxLinks, specialTagKeys, specialTags, specialTagTable } from "./special-tags.ts";

const { string: stringType, bool: boolType, int: intType } = attributeTypeCodes;
const zipkinFormat = spanFormats.indexOf("zipkin");
const pipe = 0x7c;
/** Jaeger's name for a resource without a service. */
const noService = "OTLPResourceNoServiceName";
const linkPrefix = Buffer.from(linkTagPrefix);

/**
 * Values of `otel.status_code`: names from OTLP, the specification of Zipkin exporters, and the first exporters.
 */
const statusNumbers = new Map([
  ...(["STATUS_CODE_UNSET", "Unset", "UNSET"].map((name) => [name, 0]) as [string, number][]),
  ...(["STATUS_CODE_OK", "Ok", "OK"].map((name) => [name, 1]) as [string, number][]),
  ...(["STATUS_CODE_ERROR", "Error", "ERROR"].map((name) => [name, 2]) as [string, number][]),
]);

/**
 * Maximum number of texts in one message that look encoded but cannot be decoded. After this limit, all texts count as
 * plain, because one check costs twenty times as much as reading a text.
 */
const maxUnreadable = 1000;

/** Use of a tag: number in `specialTags`, `plain` for other keys, or `taken` when a column already has its value. */
const plain = -1;
const taken = -2;

/**
 * Converts Zipkin v2 spans to rows of format `zipkin`, by Jaeger's rules for conversion to OTLP. Tags about
 * process, scope, kind, status, trace state and links become the columns with these names. Endpoints become
 * `net.host.*` and `net.peer.*` attributes, and annotations become events.
 *
 * Unlike Jaeger, this conversion loses no data. The tags of a resource stay with their span, even when the
 * span has no service name. Jaeger gives the tags of one span to all spans of a service in a message. An
 * unreadable kind, status code, link or encoded annotation stays as text. A row has no columns for `debug` and
 * `shared`.
 *
 * Source: opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv2 0.111, as used by Jaeger 1.62.
 */
export class SpanDraftWriter {
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  readonly #attributes: AttributeWriter;
  /** Use of each tag; the array index is the index of the tag. */
  #uses = new Int16Array(64);
  /** Index of the tag for each number in `specialTags`; -1 when the tag is absent. */
  readonly #special = new Int32Array(specialTagKeys.length);
  /** Number of tags that describe the resource. */
  #resourceTags = 0;
  #links: SpanLink[] = [];
  #kind = 0;
  #status = 0;
  #unreadable = 0;

  /** @param maxRowsBytes size limit for the rows of a message in bytes; 256 MiB by default */
  constructor(maxRowsBytes: number | undefined) {
    this.#out = new ByteWriter(maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, maxRowsBytes);
    this.#attributes = new AttributeWriter(this.#out);
  }

  /** Must be called before each message. */
  open(): void {
    this.#out.clear();
    this.#prefixes.begin();
    this.#unreadable = 0;
  }

  /** The rows since `open`, as a view of memory that the next message overwrites. @param count number of rows */
  rows(count: number): SpanRows {
    return { bytes: this.#out.bytes, count, plainBytes: this.#prefixes.plainBytes };
  }

  /**
   * Writes a row. When `write` throws, earlier rows stay valid, and no bytes of this span remain.
   * @throws WireError WIRE_TOO_LARGE past the size limit of the rows
   */
  write(draft: SpanDraft, tenant: string): void {
    const { length } = this.#out;
    try {
      this.#row(draft, tenant);
    } catch (error) {
      this.#prefixes.takeBack(length);
      throw error;
    }
  }

  /**
   * Writes the columns of a row in their order. The tags are classified first, because several columns are made from
   * tags: kind, status, links, resource and scope. All other tags become attributes.
   */
  #row(draft: SpanDraft, tenant: string): void {
    const out = this.#out;
    this.#classify(draft);
    this.#takeKind(draft);
    this.#takeStatus(draft);
    const start = out.length;
    out.string(tenant);
    out.uint8(zipkinFormat);
    this.#writeResource(draft);
    this.#writeScope(draft);
    this.#prefixes.written(start);
    out.copy(draft.ids, 0, 24);
    if (draft.ids.compare(draft.ids, 16, 24, 24, 32) === 0) {
      out.zeros(8);
    } else {
      out.copy(draft.ids, 24, 32);
    }
    this.#writeValue(draft, specialTags.traceState);
    out.uint32(0); // Flags.
    copyText(out, draft.bytes, draft.view, draft.nameStart, draft.nameEnd);
    out.uint8(this.#kind);
    writeNanos(draft, out, draft.timestampLow, draft.timestampHigh);
    writeNanos(draft, out, draft.durationLow, draft.durationHigh);
    out.uint8(this.#status);
    if (this.#special[specialTags.statusCode] === -1) {
      out.uint8(0);
    } else {
      this.#writeValue(draft, specialTags.statusDescription);
    }
    this.#writeAttributes(draft);
    out.uint32(0);
    this.#writeEvents(draft);
    out.uint32(0);
    out.varint(this.#links.length);
    for (const link of this.#links) {
      writeLink(out, link);
    }
    out.uint32(0);
    out.uint8(draft.mends.count);
    if (draft.mends.count > 0) {
      draft.mends.write(out);
    }
  }

  /** Finds the use of each tag, and removes the tags with links. */
  #classify(draft: SpanDraft): void {
    const { tags, bytes } = draft;
    const { count, offsets } = tags;
    if (count > this.#uses.length) {
      this.#uses = new Int16Array(count * 2);
    }
    const uses = this.#uses;
    const special = this.#special.fill(-1);
    this.#resourceTags = 0;
    let hasLinks = false;
    for (let tag = 0; tag < count; tag++) {
      const keyStart = offsets[tag * 4] as number;
      const keyEnd = offsets[tag * 4 + 1] as number;
      const number = specialTagTable.find(bytes, keyStart, keyEnd);
      uses[tag] = number;
      if (number >= specialTags.resource) {
        this.#resourceTags++;
      } else if (number !== plain) {
        special[number] = tag;
      } else if (isLinkKey(bytes, keyStart, keyEnd)) {
        hasLinks = true;
      }
    }
    if (this.#links.length > 0) {
      this.#links = [];
    }
    if (hasLinks) {
      this.#takeLinks(draft);
    }
  }

  /** Removes the tags `otlp.link.0`, `otlp.link.1` and so on, up to the first gap. An unreadable link remains a tag. */
  #takeLinks(draft: SpanDraft): void {
    const { count } = draft.tags;
    const byKey = new Map<string, number>();
    for (let tag = 0; tag < count; tag++) {
      if (this.#uses[tag] === plain) {
        byKey.set(keyText(draft, tag), tag);
      }
    }
    for (let index = 0; index < maxLinks; index++) {
      const tag = byKey.get(`${linkTagPrefix}${index}`);
      if (tag === undefined) {
        return;
      }
      if (this.#unreadable > maxUnreadable) {
        return;
      }
      const link = parseEncodedLink(valueText(draft, tag));
      if (link === undefined) {
        this.#unreadable++;
        continue;
      }
      this.#links.push(link);
      this.#uses[tag] = taken;
    }
  }

  /** Sets the kind of the span: its own kind, or the kind in the tag `span.kind`. */
  #takeKind(draft: SpanDraft): void {
    const tag = this.#special[specialTags.spanKind] as number;
    this.#kind = draft.kind;
    if (tag === -1 || draft.kind !== 0) {
      return;
    }
    const number = spanKinds.indexOf(valueText(draft, tag) as (typeof spanKinds)[number]);
    if (number <= 0) {
      return;
    }
    this.#kind = number;
    this.#uses[tag] = taken;
  }

  /**
   * Sets the status from `otel.status_code`; a tag `error` with any value sets the status to error. When the value is
   * not `true`, it may be a message, so the tag also remains an attribute.
   */
  #takeStatus(draft: SpanDraft): void {
    this.#status = 0;
    const code = this.#special[specialTags.statusCode] as number;
    if (code !== -1) {
      const number = statusNumbers.get(valueText(draft, code));
      this.#status = number ?? 0;
      if (number !== undefined) {
        this.#uses[code] = taken;
      }
      const description = this.#special[specialTags.statusDescription] as number;
      if (description !== -1) {
        this.#uses[description] = taken;
      }
    }
    const error = this.#special[specialTags.error] as number;
    if (error !== -1) {
      this.#status = 2;
      if (valueText(draft, error) === "true") {
        this.#uses[error] = taken;
      }
    }
  }

  /** Columns `service` to `resource_schema_url`. */
  #writeResource(draft: SpanDraft): void {
    const out = this.#out;
    const { local, bytes, view } = draft;
    const hasService = local.serviceEnd > local.serviceStart;
    const nameTag = this.#special[specialTags.serviceName] as number;
    const source = this.#special[specialTags.serviceNameSource] as number;
    const sourceKey = source === -1 || !hasService ? "" : valueText(draft, source);
    // The tag `service.name` takes precedence, unless the endpoint has no member for the name.
    if (!hasService) {
      out.string(noService);
    } else if (nameTag !== -1) {
      out.string(valueText(draft, nameTag) || "empty-service-name");
    } else if (sourceKey !== "" && sourceKey !== "service.name") {
      out.string("empty-service-name");
    } else {
      copyText(out, bytes, view, local.serviceStart, local.serviceEnd);
    }
    const ownKey = sourceKey === "" ? "service.name" : sourceKey;
    const replaces = hasService && this.#hasResourceTag(draft, ownKey);
    this.#attributes.beginList();
    if (hasService && !replaces) {
      this.#attributes.key(stringType, ownKey);
      this.#attributes.lenientValue(bytes, view, local.serviceStart, local.serviceEnd);
    }
    if (this.#resourceTags > 0 || nameTag !== -1) {
      for (let tag = 0; tag < draft.tags.count; tag++) {
        const use = this.#uses[tag] as number;
        if (use >= specialTags.resource || use === specialTags.serviceName) {
          this.#writeTag(draft, tag);
        }
      }
    }
    this.#attributes.end();
    out.uint32(0);
    out.uint8(0); // No schema URL.
  }

  /** True when a tag of the resource has this key. */
  #hasResourceTag(draft: SpanDraft, key: string): boolean {
    if (key === "service.name") {
      return this.#special[specialTags.serviceName] !== -1;
    }
    for (let tag = 0; this.#resourceTags > 0 && tag < draft.tags.count; tag++) {
      if ((this.#uses[tag] as number) >= specialTags.resource && keyText(draft, tag) === key) {
        return true;
      }
    }
    return false;
  }

  /** Writes the columns `scope_name` to `scope_schema_url`, from `otel.library.name` and `otel.library.version`. */
  #writeScope(draft: SpanDraft): void {
    const out = this.#out;
    this.#writeValue(draft, specialTags.libraryName);
    this.#writeValue(draft, specialTags.libraryVersion);
    out.uint8(0); // No attributes,
    out.uint32(0); // none dropped,
    out.uint8(0); // no schema URL.
  }

  /**
   * Writes the column `attributes`: tags that no other column uses, then attributes from the endpoints. An endpoint's
   * attribute replaces a tag with the same key.
   */
  #writeAttributes(draft: SpanDraft): void {
    const { local, remote, tags } = draft;
    const hasPeer = remote.serviceEnd > remote.serviceStart;
    if (local.ip !== "") {
      this.#replace(specialTags.hostIp);
    }
    if (local.port !== 0) {
      this.#replace(specialTags.hostPort);
    }
    if (hasPeer) {
      this.#replace(specialTags.peerService);
    }
    if (remote.ip !== "") {
      this.#replace(specialTags.peerIp);
    }
    if (remote.port !== 0) {
      this.#replace(specialTags.peerPort);
    }
    if (!draft.hasTimestamp) {
      this.#replace(specialTags.startTimeAbsent);
    }
    this.#attributes.beginList();
    for (let tag = 0; tag < tags.count; tag++) {
      if (isAttribute(this.#uses[tag] as number)) {
        this.#writeTag(draft, tag);
      }
    }
    if (local.ip !== "") {
      this.#attribute("net.host.ip", stringType, local.ip);
    }
    if (local.port !== 0) {
      this.#attribute("net.host.port", intType, String(local.port));
    }
    if (hasPeer) {
      this.#attributes.key(stringType, "peer.service");
      this.#attributes.lenientValue(draft.bytes, draft.view, remote.serviceStart, remote.serviceEnd);
    }
    if (remote.ip !== "") {
      this.#attribute("net.peer.ip", stringType, remote.ip);
    }
    if (remote.port !== 0) {
      this.#attribute("net.peer.port", intType, String(remote.port));
    }
    if (!draft.hasTimestamp) {
      this.#attribute("otel.zipkin.absentField.startTime", boolType, "true");
    }
    this.#attributes.end();
  }

  /** Drops the tag with this number, because a field of the span has the same information. */
  #replace(number: number): void {
    const tag = this.#special[number] as number;
    if (tag !== -1) {
      this.#uses[tag] = taken;
    }
  }

  /** Writes an attribute whose key and value do not come from tags. */
  #attribute(key: string, type: number, value: string): void {
    this.#attributes.key(type, key);
    this.#attributes.value(value);
  }

  /**
   * Writes the column `events`. `draft.annotations` has four numbers for each annotation: low and high half of the time
   * in µs, and start and end of the text.
   */
  #writeEvents(draft: SpanDraft): void {
    const out = this.#out;
    const { annotations, annotationCount, bytes, view } = draft;
    out.varint(annotationCount);
    for (let at = 0; at < annotationCount * 4; at += 4) {
      const start = annotations[at + 2] as number;
      const end = annotations[at + 3] as number;
      writeNanos(draft, out, annotations[at] as number, annotations[at + 1] as number);
      const event = this.#encodedEvent(bytes, start, end);
      if (event === undefined) {
        copyText(out, bytes, view, start, end);
        out.uint8(0);
        out.uint32(0);
      } else {
        out.string(event.name);
        writeAttributes(out, event.attributes);
        out.uint32(event.droppedAttributesCount);
      }
    }
  }

  /** The event in a text from OpenTelemetry's exporters; undefined for plain text. */
  #encodedEvent(bytes: Buffer, start: number, end: number): EncodedEvent | undefined {
    if (!hasPipe(bytes, start, end) || this.#unreadable > maxUnreadable) {
      return undefined;
    }
    const text = bytes.toString("utf8", start, end);
    const event = parseEncodedEvent(text);
    if (event === undefined && text.includes("|{")) {
      this.#unreadable++;
    }
    return event;
  }

  /** Writes the value of the tag with this number; "" when the tag is absent. */
  #writeValue(draft: SpanDraft, number: number): void {
    const tag = this.#special[number] as number;
    if (tag === -1) {
      this.#out.uint8(0);
      return;
    }
    const { bytes, view } = draft;
    const { offsets } = draft.tags;
    copyText(this.#out, bytes, view, offsets[tag * 4 + 2] as number, offsets[tag * 4 + 3] as number);
  }

  /** Writes a tag as an attribute of type string. */
  #writeTag(draft: SpanDraft, tag: number): void {
    const { bytes, view } = draft;
    const { offsets } = draft.tags;
    const at = tag * 4;
    this.#attributes.lenientKey(stringType, draft, offsets[at] as number, offsets[at + 1] as number);
    this.#attributes.lenientValue(bytes, view, offsets[at + 2] as number, offsets[at + 3] as number);
  }
}

/** True when a tag with this use becomes an attribute of the span. */
function isAttribute(use: number): boolean {
  switch (use) {
    case taken:
    case specialTags.serviceName:
    case specialTags.serviceNameSource:
    case specialTags.libraryName:
    case specialTags.libraryVersion:
    case specialTags.traceState:
      return false;
    default:
      return use < specialTags.resource;
  }
}

function isLinkKey(bytes: Uint8Array, start: number, end: number): boolean {
  const length = linkPrefix.length;
  if (end - start <= length) {
    return false;
  }
  for (let at = 0; at < length; at++) {
    if (bytes[start + at] !== linkPrefix[at]) {
      return false;
    }
  }
  return true;
}

function hasPipe(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] === pipe) {
      return true;
    }
  }
  return false;
}

function keyText({ bytes, tags }: SpanDraft, tag: number): string {
  return bytes.toString("utf8", tags.offsets[tag * 4], tags.offsets[tag * 4 + 1]);
}

function valueText({ bytes, tags }: SpanDraft, tag: number): string {
  return bytes.toString("utf8", tags.offsets[tag * 4 + 2], tags.offsets[tag * 4 + 3]);
}

/** High halves of microseconds from this value on belong to negative numbers that became unsigned. */
const negativeFrom = 0xffdf3b65;

/**
 * Writes microseconds, given as two halves, as nanoseconds. A time after 2262 becomes the last time that fits 64-bit
 * nanoseconds, and the span gets a warning.
 */
function writeNanos({ mends }: SpanDraft, out: ByteWriter, low: number, high: number): void {
  const lowNanos = (low >>> 0) * 1000;
  const highNanos = (high >>> 0) * 1000 + Math.floor(lowNanos / 0x1_0000_0000);
  if (highNanos >= 0x8000_0000 && high >>> 0 < negativeFrom) {
    mends.add(timeMend);
    out.uint32(0xffff_ffff);
    out.uint32(0x7fff_ffff);
    return;
  }
  out.uint32(lowNanos % 0x1_0000_0000);
  out.uint32(highNanos % 0x1_0000_0000);
}
