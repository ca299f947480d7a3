import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { StartError } from "lifecycle/errors";

const derive = promisify(argon2);
/** Bytes of the salt. Source: RFC 9106, section 3.1, which recommends 16 */
const saltBytes = 16;

/** Cost of one hash, for the server and for an attacker alike. */
export interface Argon2idCost {
  /** Times that the memory is gone over. */
  readonly passes: number;
  /** KiB; at least eight for each thread. */
  readonly memory: number;
  /** Threads that work on one password. */
  readonly parallelism: number;
  /** Bytes. */
  readonly tagLength: number;
}

/** Base64 without `=`, as the PHC string format has it. */
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
