import { setImmediate as immediate } from "node:timers/promises";
import type { Logger } from "lifecycle";
import type { z } from "zod";
import { errorWithin, messageOf, ServerError } from "../errors.ts";
import { makeEtag, parseIfMatch, prepareEtags } from "../etag.ts";
import { type EncodedDocument, encodeDocument, encodeJson } from "../json/encode-json.ts";
import { type IdIndex, indexIds } from "../json/id-index.ts";
import type { JsonValue } from "../json/json-value.ts";
import { type ParsedJson, parseJsonText } from "../json/parse-json.ts";
import { WrittenDocument } from "../json/written-document.ts";
import type { ModuleRegistry } from "../modules/module-registry.ts";
import { type ChangeMethod, changeAt } from "../tree/change-at.ts";
import { type DocumentPlace, locate, parsePlace, wholeDocument } from "../tree/document-place.ts";
import { readAt } from "../tree/read-at.ts";
import { reconcile } from "../tree/reconcile.ts";
import type { ConfigTree, TreePath } from "../tree/tree-path.ts";
import type { Autosave, StagedSave } from "./autosave.ts";
import { ChangeLock } from "./change-lock.ts";
import { decodeDocument } from "./config-document.ts";
import type { ConfigMetrics } from "./config-metrics.ts";
import { LazyDocumentText } from "./lazy-document-text.ts";
import type { Participant, Transition } from "./participant.ts";
import { isArrayBySchema } from "./schema-at.ts";

const maxWaitingChanges = 256;

const nothing: ParsedJson = { value: null, text: "null" };

/** A requested change. A change may wait for other changes, so its functions are called only when its turn comes. */
export interface ChangeRequest {
  /** Effect on the place: see `TreeChange.method`. Source: Caddy's admin API */
  readonly method: ChangeMethod;
  /** Place in the document: a path, or an `@id` and a path below it. */
  readonly place: DocumentPlace;
  /**
   * JSON of the new value; empty means null. A function computes the JSON after earlier changes were applied. @throws
   * ServerError
   */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
  /**
   * Replaces the body: computes the new value at `place` from the present one. The place must exist, as for PATCH.
   * @throws ServerError
   */
  readonly edit?: ((current: JsonValue) => JsonValue) | undefined;
  /**
   * Checks the client's rights again, because an earlier change in the queue may have removed them.
   * @throws ServerError when the client may no longer make the change
   */
  readonly admit?: (() => void) | undefined;
  /** The author for the history: the client's address, a signal, a file. */
  readonly author?: string | undefined;
  /** The request that caused the change, for the history: `PATCH /config/apps/http`. Undefined: no request. */
  readonly cause?: string | undefined;
  /** False: the autosave does not store the config, because it will be fetched again from its origin. */
  readonly persist?: boolean;
  /** ETag of the place that the client has read. If the place has changed since, the change is refused with 412. */
  readonly ifMatch?: string | undefined;
  /** True: loads the config even when nothing changed (`Cache-Control: must-revalidate`). */
  readonly force?: boolean;
  /** File from which this config was read; undefined for other origins. */
  readonly sourceFile?: string | undefined;
}

/** The value at a place. */
export interface ReadAnswer {
  /** Compact JSON with a final newline. */
  readonly body: string;
  /** Path and hash of the place, for `If-Match` of a later change. */
  readonly etag: string;
  /** Present path of the place. */
  readonly path: TreePath;
}

/** A config that is now running. */
export interface AppliedChange {
  /** The whole document after the change. */
  readonly config: JsonValue;
  /** The document as `encodeJson` writes it. */
  readonly written: WrittenDocument;
  /** Author of the change; "" when the request has none. */
  readonly author: string;
  /** The request that caused the change; undefined when there is none. */
  readonly cause: string | undefined;
}

/** A change that can no longer fail. */
interface PreparedChange {
  /** Prepared switches from the old apps to the new ones, not yet committed. */
  readonly transitions: readonly Transition[];
  /** The document in the form that is saved. */
  readonly written: WrittenDocument;
  /** The staged autosave; undefined when the config is not saved. */
  readonly staged: StagedSave | undefined;
}

/**
 * Called for each new config after it runs and its autosave has ended. The change is acknowledged when all listeners
 * have returned. A listener must not throw.
 */
export type ChangeListener = (change: AppliedChange) => void | Promise<void>;

export interface ConfigEngineOptions {
  /** Modules that documents may use. */
  readonly registry: ModuleRegistry;
  /** Participants in the order of prepare and commit. */
  readonly participants: readonly Participant[];
  /** Stores the last document for `--resume`. */
  readonly autosave: Autosave;
  /** Counts loads, and records if the last load succeeded. */
  readonly metrics: ConfigMetrics;
  /**
   * Schema of the member `admin`. The engine needs the schema to recognize absent arrays, to which a request may append
   * elements.
   */
  readonly adminSchema?: z.core.$ZodType;
  readonly log: Logger;
}

/**
 * Writes a document as text. If the written form does not exist yet, it is created in the next turn of
 * the event loop, while other threads prepare the document.
 * @throws ServerError CONFIG_SYNTAX when it cannot be written
 */
async function writeInTurn(encoded: EncodedDocument): Promise<WrittenDocument> {
  if (encoded instanceof LazyDocumentText) {
    await immediate();
  }
  return new WrittenDocument(encoded.text);
}

/** @throws ServerError CONFIG_SYNTAX */
function parseBody(body: Uint8Array): ParsedJson {
  if (body.length === 0) {
    return nothing;
  }
  try {
    return parseJsonText(body);
  } catch (error) {
    throw errorWithin("decoding request body", error);
  }
}

/**
 * Parses a complete body in advance, so that other changes need not wait. A fault in the body is reported only when the
 * change has its turn, after faults in its place.
 */
function bodyReader({ body, edit }: ChangeRequest): () => ParsedJson | Promise<ParsedJson> {
  if (edit !== undefined) {
    return () => nothing;
  }
  if (typeof body === "function") {
    return async () => parseBody(await body());
  }
  try {
    const parsed = parseBody(body);
    return () => parsed;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The change from which a document results. */
interface SentChange {
  /** True when the body is the whole document, so that its text can be used. */
  readonly isSent: boolean;
  readonly request: ChangeRequest;
  /** Place of the change, with its ids resolved. */
  readonly path: TreePath;
  /** The body, parsed, with its text. */
  readonly body: ParsedJson;
}

/**
 * The live config: one JSON document, read at any time, changed by one change at a time. A change creates a new tree,
 * lets every participant prepare for it, and only then switches. After any failure the old config continues. Source:
 * Caddy 2.11, seen running
 */
export class ConfigEngine {
  readonly #options: ConfigEngineOptions;
  readonly #lock = new ChangeLock(maxWaitingChanges);
  #tree: ConfigTree = { config: null };
  #encoded = encodeJson(null);
  #hasSpecialKeys = false;
  #ids: IdIndex = new Map();
  /** Resolves when all participants run the same document again; undefined when no switch is running. */
  #switching: Promise<void> | undefined;
  #sourceFile: string | undefined;
  #started = false;
  /** Aborted when the server stops: changes that do not run yet are given up. */
  readonly #stop = new AbortController();
  readonly #listeners: ChangeListener[] = [];

  constructor(options: ConfigEngineOptions) {
    this.#options = options;
  }

  /** Calls `listener` after every later change, in order. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** The whole running document. */
  get config(): JsonValue {
    return this.#tree.config;
  }

  /** File from which the running config was read; undefined for other origins. */
  get sourceFile(): string | undefined {
    return this.#sourceFile;
  }

  /**
   * The answer to a GET: compact JSON with a final newline, and its ETag. A read waits during a switch, because threads
   * may run different configs then.
   * @throws ServerError CONFIG_ID_UNKNOWN, CONFIG_TRAVERSAL, CONFIG_INDEX
   */
  async read(place: DocumentPlace): Promise<ReadAnswer> {
    await prepareEtags();
    await this.#switching;
    return this.#read(place);
  }

  #read(place: DocumentPlace): ReadAnswer {
    const path = locate(place, this.#ids);
    const body = `${encodeJson(readAt(this.#tree, path))}\n`;
    return { body, etag: makeEtag(path.text, body), path };
  }

  /**
   * Applies one change and returns when the new config runs and is saved. A change without effect does nothing.
   * @throws ServerError when the change fails, and the old config runs on unchanged; CONFIG_BUSY immediately while the
   * server stops
   */
  async change(request: ChangeRequest): Promise<void> {
    // A stop keeps the lock until every connection has its answer, so an answer must not wait for the lock.
    this.#stop.signal.throwIfAborted();
    const read = bodyReader(request);
    await this.#lock.run(() => this.#apply(request, read));
  }

  /** Replaces the whole config. @throws ServerError as `change` */
  load(
    body: Uint8Array,
    options: Pick<ChangeRequest, "force" | "sourceFile" | "author" | "cause" | "persist" | "admit"> = {},
  ): Promise<void> {
    return this.change({ method: "POST", place: wholeDocument, body, ...options });
  }

  /**
   * Checks that a whole config would run, without opening its ports. Nothing is changed or stored.
   * @throws ServerError CONFIG_ID, CONFIG_REFUSED, with the same text as `load`
   */
  async validate(config: JsonValue): Promise<void> {
    indexIds(config);
    try {
      const document = decodeDocument(config);
      for (const participant of this.#options.participants) {
        await participant.check?.(document);
      }
    } catch (error) {
      throw new ServerError("CONFIG_REFUSED", `loading new config: ${messageOf(error)}`, { cause: error });
    }
  }

  /**
   * Stops all participants, in the reverse order of prepare. Waiting changes and changes in preparation are given up; a
   * running switch is finished. @throws ServerError
   */
  async stop(): Promise<void> {
    this.#stop.abort(new ServerError("CONFIG_BUSY", "the server is stopping"));
    await this.#lock.runAnyway(async () => {
      await Promise.all(this.#options.participants.map((participant) => participant.stopping?.()));
      for (const participant of this.#options.participants.toReversed()) {
        await participant.stop();
      }
    });
  }

  async #apply(request: ChangeRequest, readBody: () => ParsedJson | Promise<ParsedJson>): Promise<void> {
    this.#stop.signal.throwIfAborted();
    request.admit?.();
    const path = locate(request.place, this.#ids);
    if (request.ifMatch !== undefined) {
      await this.#checkIfMatch(request.ifMatch);
    }
    const body = await readBody();
    const changed = this.#changed(request, path, body.value);
    // An unchanged part becomes the same object as in the old tree; participants recognize it by this identity.
    const tree: ConfigTree = { config: reconcile(this.#tree.config, changed.config) };
    const late = this.#lazyText(tree.config, { isSent: changed.config === body.value, request, path, body });
    const encoded = late ?? encodeDocument(tree.config);
    const isSame =
      tree.config === this.#tree.config || (late === undefined && encoded.text === this.#encoded);
    if (isSame && request.force !== true && this.#started) {
      return;
    }
    const startedAt = performance.now();
    const ids = encoded.hasIds ? indexIds(tree.config) : new Map<string, string>();
    const { transitions, written, staged } = await this.#prepare(tree, encoded, request);
    const switched = Promise.withResolvers<void>();
    this.#switching = switched.promise;
    try {
      await this.#switch(transitions, staged);
      this.#tree = tree;
      this.#encoded = written.text;
      this.#hasSpecialKeys = encoded.hasIds || encoded.hasPrototypeKeys;
      this.#ids = ids;
      this.#sourceFile = request.sourceFile;
      this.#started = true;
    } finally {
      this.#switching = undefined;
      switched.resolve();
    }
    this.#options.metrics.reloadSucceeded();
    this.#options.log.info(`config loaded in ${(performance.now() - startedAt).toFixed(1)} ms`);
    for (const listener of this.#listeners) {
      await listener({ config: tree.config, written, author: request.author ?? "", cause: request.cause });
    }
  }

  /**
   * The new document with a text that is encoded on first use, so that threads can prepare the document earlier.
   * Undefined when only encoding can find its special keys or check its limit of levels. A PUT creates one level for
   * each element of its path.
   */
  #lazyText(config: JsonValue, { isSent, request, path, body }: SentChange): LazyDocumentText | undefined {
    if (isSent) {
      return LazyDocumentText.of(config, body.text);
    }
    return this.#hasSpecialKeys || request.edit !== undefined || request.method === "PUT"
      ? undefined
      : LazyDocumentText.ofChange(config, [path.text, body.text]);
  }

  /** The tree after a change; it does not run yet. @throws ServerError */
  #changed(request: ChangeRequest, path: TreePath, body: JsonValue): ConfigTree {
    const apply = (method: ChangeMethod, value: JsonValue): ConfigTree =>
      changeAt(this.#tree, {
        method,
        path,
        value,
        wantsArray: (segments) =>
          isArrayBySchema(this.#options.registry, this.#tree.config, segments, this.#options.adminSchema),
      });
    if (request.edit === undefined) {
      return apply(request.method, body);
    }
    apply("PATCH", null); // refuses a path that does not exist
    return apply("PATCH", request.edit(readAt(this.#tree, path)));
  }

  async #checkIfMatch(header: string): Promise<void> {
    const { path, hash } = parseIfMatch(header);
    await prepareEtags();
    if (!this.#read(parsePlace(path)).etag.endsWith(` ${hash}"`)) {
      throw new ServerError("IF_MATCH_FAILED", "If-Match header did not match current config hash");
    }
  }

  /** Lets all participants prepare, and stages the autosave meanwhile. */
  async #prepare(
    { config }: ConfigTree,
    encoded: EncodedDocument,
    { force, persist }: ChangeRequest,
  ): Promise<PreparedChange> {
    const writing = writeInTurn(encoded);
    writing.catch(() => {});
    const saving = persist === false ? undefined : this.#stage(config, writing);
    const prepared: Transition[] = [];
    const rollBack = async () => {
      for (const transition of prepared.reverse()) {
        await transition.rollback();
      }
      await (await saving)?.discard().catch(this.#notSaved);
      this.#options.metrics.reloadFailed();
    };
    try {
      const document = decodeDocument(config, force, encoded);
      for (const participant of this.#options.participants) {
        prepared.push(await this.#unlessStopped(participant.prepare(document)));
      }
    } catch (error) {
      await rollBack();
      this.#stop.signal.throwIfAborted();
      const refusal = new ServerError("CONFIG_REFUSED", `loading new config: ${messageOf(error)}`, {
        cause: error,
      });
      if (this.#started) {
        this.#options.log.warn(`config refused, the old one goes on: ${refusal.message}`);
      }
      throw refusal;
    }
    try {
      return { transitions: prepared, written: await writing, staged: await saving };
    } catch (error) {
      await rollBack();
      throw error;
    }
  }

  async #switch(transitions: readonly Transition[], staged: StagedSave | undefined): Promise<void> {
    const saved = staged?.commit().catch(this.#notSaved);
    for (const transition of transitions) {
      await transition.commit();
    }
    for (const transition of transitions) {
      transition.committed?.();
    }
    await saved;
  }

  /**
   * Waits for a participant. When the server stops, the change fails immediately, and prepared parts are rolled back
   * later.
   * @throws ServerError CONFIG_BUSY
   */
  async #unlessStopped(preparing: Promise<Transition>): Promise<Transition> {
    const { signal } = this.#stop;
    const stopped = Promise.withResolvers<never>();
    const give = () => stopped.reject(signal.reason);
    signal.addEventListener("abort", give);
    try {
      signal.throwIfAborted();
      return await Promise.race([preparing, stopped.promise]);
    } catch (error) {
      preparing.then(
        (transition) => transition.rollback(),
        () => {},
      );
      throw error;
    } finally {
      signal.removeEventListener("abort", give);
    }
  }

  /** Stages the autosave. A failure is only logged: a config must run even when the disk is full or read-only. */
  async #stage(config: JsonValue, writing: Promise<WrittenDocument>): Promise<StagedSave | undefined> {
    const admin = (config as { admin?: { config?: { persist?: unknown } } } | null)?.admin;
    if (config === null || admin?.config?.persist === false) {
      return undefined;
    }
    try {
      return await this.#options.autosave.stage(writing.then(({ bytes }) => bytes));
    } catch (error) {
      const isWritten = await writing.then(
        () => true,
        () => false, // the change is refused for this error
      );
      return isWritten ? this.#notSaved(error) : undefined;
    }
  }

  readonly #notSaved = (error: unknown): undefined => {
    const { autosave, log } = this.#options;
    log.error(`the config is not saved to ${autosave.path}: ${messageOf(error)}`);
    return undefined;
  };
}
