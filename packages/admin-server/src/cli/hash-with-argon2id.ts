import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { StartError } from "lifecycle/errors";

const derive = promisify(argon2);
/** Bytes of the salt. Source: RFC 9106, section 3.1, which recommends 16 */
const saltBytes = 16;

/** Cost parameters of a hash; an attacker has the same cost for each attempt as the server. */
export interface Argon2idCost {
  /** Number of passes over the memory. */
  readonly passes: number;
  /** Memory in KiB; at least eight KiB for each thread. */
  readonly memory: number;
  /** Number of threads that compute one hash. */
  readonly parallelism: number;
  /** Bytes of the hash. */
  readonly tagLength: number;
}

/** Base64 without `=`, as in the PHC string format. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** Hashes a password for the handler `authentication`. @throws StartError. Source: RFC 9106, the PHC string format */
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
