import { randomUUID } from "node:crypto";
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { digest, type KeptFiles, keptText, namesIn, writeKept } from "./kept-files.ts";

/** A remark on a span, or on a whole trace. */
export interface Note {
  readonly id: string;
  /** Id of the span, 16 hex digits; "" for a note on the whole trace. */
  readonly spanId: string;
  readonly text: string;
  /** Name that the writer gave; "" for none. The name is not checked. */
  readonly author: string;
  readonly writtenUnixMs: number;
}

/** Maximum number of notes on a trace, and of traces with notes for each tenant. */
export interface NoteLimits {
  readonly notes: number;
  readonly traces: number;
}

const defaultLimits: NoteLimits = { notes: 100, traces: 10_000 };
const fileName = /^([0-9a-f-]{36})\.json$/;

/** Notes on traces. Each note is a file in a folder of the trace. Tenants see only their own notes. */
export class NoteStore {
  readonly #files: KeptFiles;
  readonly #limits: NoteLimits;

  constructor(files: KeptFiles, limits = defaultLimits) {
    this.#files = files;
    this.#limits = limits;
  }

  /** Lists the notes of a trace, oldest first. Files that cannot be read are left out. */
  async list(tenant: string, traceId: string): Promise<readonly Note[]> {
    const folder = this.#folderOf(tenant, traceId);
    const notes: Note[] = [];
    for (const file of await namesIn(folder)) {
      const id = fileName.exec(file)?.[1];
      const note = id === undefined ? undefined : noteIn(id, await keptText(join(folder, file)));
      if (note !== undefined) {
        notes.push(note);
      }
    }
    return notes.sort((a, b) => a.writtenUnixMs - b.writtenUnixMs || a.id.localeCompare(b.id, "en"));
  }

  /** Keeps a note. @throws QueryError QUERY_TOO_LARGE when there are too many */
  async add(tenant: string, traceId: string, note: Omit<Note, "id">): Promise<Note> {
    const folder = this.#folderOf(tenant, traceId);
    const others = await namesIn(folder);
    if (others.length >= this.#limits.notes) {
      this.#files.refuse("note", "notes on this trace", this.#limits.notes);
    }
    if (others.length === 0) {
      await this.#files.checkRoom(tenant, "note", this.#limits.traces, "traces with notes");
    }
    const kept = { id: randomUUID(), ...note };
    await writeKept(join(folder, `${kept.id}.json`), JSON.stringify(kept));
    return kept;
  }

  /** Removes a note, if it exists. @param id id from `add` */
  async remove(tenant: string, traceId: string, id: string): Promise<void> {
    const file = `${id}.json`;
    if (fileName.test(file)) {
      const folder = this.#folderOf(tenant, traceId);
      await rm(join(folder, file), { force: true });
      await removeEmpty(folder);
    }
  }

  #folderOf(tenant: string, traceId: string): string {
    return join(this.#files.folderOf(tenant, "note"), digest(traceId, 32));
  }
}

/**
 * Removes a folder if empty, so that the limit no longer counts it. Another request may be writing a file into the
 * folder.
 */
async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOTEMPTY" && code !== "ENOENT" && code !== "EEXIST") {
      throw error;
    }
  }
}

function noteIn(id: string, text: string | undefined): Note | undefined {
  try {
    const { spanId, text: words, author, writtenUnixMs } = JSON.parse(text ?? "") as Record<string, unknown>;
    return typeof spanId === "string" &&
      typeof words === "string" &&
      typeof author === "string" &&
      typeof writtenUnixMs === "number"
      ? { id, spanId, text: words, author, writtenUnixMs }
      : undefined;
  } catch {
    return undefined;
  }
}
