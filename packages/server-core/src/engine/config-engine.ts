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
import { LateText } from "./late-text.ts";
import type { Participant, Transition } from "./participant.ts";
import { isArrayBySchema } from "./schema-at.ts";

const maxWaitingChanges = 256;

const nothing: ParsedJson = { value: null, text: "null" };

/**
 * A change as its client asked for it. It may wait for others, so nothing in it was looked up in the document: functions
 * are called when the change has its turn.
 */
export interface ChangeRequest {
  /** Effect on the place: see `TreeChange.method`. Source: Caddy's admin API */
  readonly method: ChangeMethod;
  /** Place in the document: a path, or an `@id` and a path below it. */
  readonly place: DocumentPlace;
  /** JSON; empty means null. A function reads it from what earlier changes write. @throws ServerError */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
  /**
   * Instead of the body: makes the new value at `place` from the present one. The place must exist, as for
   * PATCH.
   * @throws ServerError
   */
  readonly edit?: ((current: JsonValue) => JsonValue) | undefined;
  /**
   * Checks the client's rights again, because an earlier change in the queue may have taken them away.
   * @throws ServerError when the client may not make the change any more
   */
  readonly admit?: (() => void) | undefined;
  /** The author for the history: the client's address, a signal, a file. */
  readonly author?: string | undefined;
  /** The request that asked for it, for the history: `PATCH /config/apps/http`. Undefined: no request did. */
  readonly cause?: string | undefined;
  /** False keeps the config out of the autosave: it comes again from where it was fetched. */
  readonly persist?: boolean;
  /** Etag of the place that the author has seen. Another state of it refuses the change with 412. */
  readonly ifMatch?: string | undefined;
  /** Loads again even when nothing changed (`Cache-Control: must-revalidate`). */
  readonly force?: boolean;
  /** The file this config came from; undefined for any other origin. */
  readonly sourceFile?: string | undefined;
}

/** The value at a place. */
export interface ReadAnswer {
  /** Compact JSON with a final newline. */
  readonly body: string;
  /** Path and hash of the place, for `If-Match` of a later change. */
  readonly etag: string;
  /** Path of the place now. */
  readonly path: TreePath;
}

/** A config that runs from now on. */
export interface AppliedChange {
  /** The whole document after the change. */
  readonly config: JsonValue;
  /** The same as `encodeJson` writes it. */
  readonly written: WrittenDocument;
  /** "" when the request names none. */
  readonly author: string;
  /** The request that asked for the change; undefined where none did. */
  readonly cause: string | undefined;
}

/** A change that can no longer fail. */
interface PreparedChange {
  /** Steps from the old apps to the new ones, prepared but not taken. */
  readonly transitions: readonly Transition[];
  /** The document in the form that is saved. */
  readonly written: WrittenDocument;
  /** Autosave that was written beside the old one; undefined when nothing is saved. */
  readonly staged: StagedSave | undefined;
}

/** Told of each new config once it runs and is saved; the change is acknowledged when it returns. Must not throw. */
export type ChangeListener = (change: AppliedChange) => void | Promise<void>;

export interface ConfigEngineOptions {
  /** Modules that documents may name. */
  readonly registry: ModuleRegistry;
  /** In the order in which they prepare and commit. */
  readonly participants: readonly Participant[];
  /** Keeps the last document for `--resume`. */
  readonly autosave: Autosave;
  /** Counts loads, and says whether the last one succeeded. */
  readonly metrics: ConfigMetrics;
  /** Schema of the member `admin`. It names the arrays in it, so that elements can be appended to absent arrays. */
  readonly adminSchema?: z.core.$ZodType;
  /** Log of the engine itself. */
  readonly log: Logger;
}

/**
 * The written form of a document. A document that is not written yet is written in the next turn, while other
 * threads prepare it.
 * @throws ServerError CONFIG_SYNTAX when it cannot be written
 */
async function writeInTurn(encoded: EncodedDocument): Promise<WrittenDocument> {
  if (encoded instanceof LateText) {
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
 * Parses a complete body in advance, so that other changes need not wait. A fault counts only when the change
 * has its turn, after faults of its place.
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

/** The change that a document comes from. */
interface SentChange {
  /** Whether the body is the whole document, so that its text may be kept as sent. */
  readonly isSent: boolean;
  /** The change. */
  readonly request: ChangeRequest;
  /** Place of the change, with its ids resolved. */
  readonly path: TreePath;
  /** The body, parsed, with its text. */
  readonly body: ParsedJson;
}

/**
 * The live config: one JSON document, read at any time, changed by one change at a time. A change makes a new tree
 * beside the old one, has every participant prepare for it, and only then switches; on any failure the old goes on.
 * Source: the public model (Caddy 2.11), seen running
 */
export class ConfigEngine {
  readonly #options: ConfigEngineOptions;
  readonly #lock = new ChangeLock(maxWaitingChanges);
  #tree: ConfigTree = { config: null };
  #encoded = encodeJson(null);
  #hasSpecialKeys = false;
  #ids: IdIndex = new Map();
  /** Resolves when all participants run the document again; undefined outside of a switch. */
  #switching: Promise<void> | undefined;
  #sourceFile: string | undefined;
  #started = false;
  /** Aborted when the server is to stop: a change that did not begin to run yet is given up. */
  readonly #stop = new AbortController();
  readonly #listeners: ChangeListener[] = [];

  constructor(options: ConfigEngineOptions) {
    this.#options = options;
  }

  /** Calls `listener` after every change from now on, in order. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** The whole document that runs. */
  get config(): JsonValue {
    return this.#tree.config;
  }

  /** The file whose content runs; undefined once a change came from elsewhere. */
  get sourceFile(): string | undefined {
    return this.#sourceFile;
  }

  /**
   * The answer to a GET: compact JSON with a final newline, and its ETag. Waits while the participants switch
   * to another config, since both configs run then.
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
   * Applies one change and returns when the new config runs and is saved. A change that changes nothing does nothing.
   * @throws ServerError with the old config still running, untouched; CONFIG_BUSY at once while the server stops
   */
  async change(request: ChangeRequest): Promise<void> {
    // A stop holds the lock until every connection has its answer, so no answer may wait for the lock.
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
   * Checks whether a whole config would run, without trying its ports. Nothing changes, and nothing is kept.
   * @throws ServerError CONFIG_ID, CONFIG_REFUSED, with the text that a load would give
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
   * Stops all participants in turn, the last one to prepare first. A change that waits or is being prepared is
   * given up; a switch under way is finished. @throws ServerError
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
    // Unchanged parts are recognized as the same objects.
    const tree: ConfigTree = { config: reconcile(this.#tree.config, changed.config) };
    const late = this.#lateText(tree.config, { isSent: changed.config === body.value, request, path, body });
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
   * The text of a config that need not be written before threads prepare it: the config came whole, or a change
   * without special keys made it. PUT can nest as deep as its path is long, and only writing checks that limit.
   */
  #lateText(config: JsonValue, { isSent, request, path, body }: SentChange): LateText | undefined {
    if (isSent) {
      return LateText.of(config, body.text);
    }
    return this.#hasSpecialKeys || request.edit !== undefined || request.method === "PUT"
      ? undefined
      : LateText.ofChange(config, [path.text, body.text]);
  }

  /** The tree after a change, which nothing runs yet. @throws ServerError */
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

  /**
   * Has all participants prepare, and stages the autosave meanwhile. An acknowledged change runs and is on
   * disk.
   */
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
   * Waits for a participant. When the server is to stop, the change fails at once, and what was prepared is
   * rolled back later. @throws ServerError CONFIG_BUSY
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

  /** Stages the autosave. A failure is only logged: a config runs on even when the disk is full or read-only. */
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
        () => false, // which the change is refused for
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
