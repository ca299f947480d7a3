import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { StartError } from "lifecycle/errors";

const derive = promisify(argon2);
const saltBytes = 16;

export interface Argon2idCost {
  readonly passes: number;
  /** KiB; at least eight for each thread. */
  readonly memory: number;
  readonly parallelism: number;
  /** Bytes. */
  readonly tagLength: number;
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** A password as the handler `authentication` takes it. @throws StartError. Source: RFC 9106, the PHC string format */
export async function hashWithArgon2id(password: string, cost: Argon2idCost): Promise<string> {
  const { memory, passes, parallelism } = cost;
  if (memory < 8 * parallelism) {
    throw new StartError(
      `hash-password: argon2id needs 8 KiB for each thread: ${8 * parallelism} or more, not ${memory}`,
    );
  }
  const nonce = randomBytes(saltBytes);
  const tag = await derive("argon2id", { message: password, nonce, ...cost });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}
