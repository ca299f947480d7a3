import { isDeepStrictEqual } from "node:util";
import type { OwnPart } from "../translate/server-document.ts";
import { mergeDocument } from "./merge-document.ts";

/** An answer of the admin API, of any status. */
export interface AdminAnswer {
  readonly status: number;
  readonly etag: string;
  readonly body: string;
}

/** Asks the admin API of the server. @throws Error when no server answers */
export type AskAdmin = (
  method: "GET" | "POST",
  path: string,
  body?: string,
  ifMatch?: string,
) => Promise<AdminAnswer>;

/** The server refused a document; its previous config keeps running. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** Maximum number of attempts when other clients change the document meanwhile. */
const maxRaces = 10;

function reasonIn({ body, status }: AdminAnswer): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === "string" ? error : `status ${status}`;
  } catch {
    return `status ${status}`;
  }
}

function failure(answer: AdminAnswer): Error {
  return answer.status === 400 ? new RefusedError(reasonIn(answer)) : new Error(reasonIn(answer));
}

/** Configures the server through its admin API, like any other client. */
export class AdminTarget {
  readonly #ask: AskAdmin;

  constructor(ask: AskAdmin) {
    this.#ask = ask;
  }

  /**
   * Puts this controller's part into the server's document, unless it is already there.
   * @returns true when the document changed. @throws RefusedError when it cannot run, Error when no server answers
   */
  async apply(part: OwnPart): Promise<boolean> {
    for (let race = 0; race < maxRaces; race++) {
      const { document, etag } = await this.#read();
      const wanted = mergeDocument(document, part);
      if (isDeepStrictEqual(wanted, document ?? {})) {
        return false;
      }
      const answer = await this.#ask("POST", "/config/", JSON.stringify(wanted), etag);
      if (answer.status === 200) {
        return true;
      }
      if (answer.status !== 412) {
        throw failure(answer);
      }
    }
    throw new Error(`others changed the document ${maxRaces} times in the meantime`);
  }

  /** Checks that a part would run. @throws RefusedError with the reason, Error when no server answers */
  async check(part: OwnPart): Promise<void> {
    const { document } = await this.#read();
    const answer = await this.#ask("POST", "/validate", JSON.stringify(mergeDocument(document, part)));
    if (answer.status !== 200) {
      throw failure(answer);
    }
  }

  async #read(): Promise<{ document: unknown; etag: string }> {
    const answer = await this.#ask("GET", "/config/");
    if (answer.status !== 200) {
      throw failure(answer);
    }
    return { document: JSON.parse(answer.body) as unknown, etag: answer.etag };
  }
}
