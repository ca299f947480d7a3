import { createDecipheriv } from "node:crypto";
import { messageOf, ServerError } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { readSecret } from "./totp.ts";

const maxFileBytes = 4 * 1024 * 1024;
/** Milliseconds after which the file is read again, so that a new user needs no reload. */
const readAgainMs = 10_000;
const nonceBytes = 12;
const tagBytes = 16;

const digits = z.int().refine((number) => [0, 6, 8].includes(number));

/** The file: user names with their secrets. Source: steffenbusch/caddy-postauth-2fa */
const fileSchema = z.record(
  z.string(),
  z.object({
    totp_secret: z.string().optional(),
    totp_secret_encrypted: z.string().optional(),
    totp_code_length: digits.optional(),
  }),
);

export interface UserSecret {
  readonly secret: Buffer;
  /** Digits of the user's codes; undefined: those of the handler. */
  readonly digits: number | undefined;
}

/** Decrypts base64 of nonce, text and tag: AES-256-GCM. @throws Error for other text, or another key */
function decrypted(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
}

/** Sources of the secrets. */
export interface SecretPlaces {
  /** Path of the file; "" without one. */
  readonly path: string;
  /** Secrets of the config itself, by user; those of the file win. */
  readonly own: Readonly<Record<string, string>>;
  /** Key of encrypted secrets. */
  readonly key: Buffer | undefined;
}

/** The secrets of users. A file is read again when it is old. No error and no log has a secret. */
export class UserSecrets {
  readonly #places: SecretPlaces;
  readonly #own: ReadonlyMap<string, UserSecret>;
  #users: ReadonlyMap<string, UserSecret>;
  #readAt = Number.NEGATIVE_INFINITY;

  private constructor(places: SecretPlaces) {
    this.#places = places;
    this.#own = new Map(
      Object.entries(places.own).map(([name, text]) => [
        name,
        secretOf("secrets", name, { totp_secret: replaceAll(text) }, undefined),
      ]),
    );
    this.#users = this.#own;
  }

  /** @throws ServerError MODULE_CONFIG for an unreadable file, or a wrong secret, whose user the error names */
  static async open(places: SecretPlaces): Promise<UserSecrets> {
    const secrets = new UserSecrets(places);
    if (places.path !== "") {
      await secrets.#read();
    } else if (secrets.#own.size === 0) {
      throw new ServerError("MODULE_CONFIG", "there is neither secrets_file_path nor secrets");
    }
    return secrets;
  }

  /** The secret of a user; undefined if the user has none. @throws ServerError MODULE_CONFIG */
  async of(user: string): Promise<UserSecret | undefined> {
    if (this.#places.path !== "" && performance.now() - this.#readAt > readAgainMs) {
      await this.#read();
    }
    return this.#users.get(user);
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    const { path, key } = this.#places;
    let entries: z.infer<typeof fileSchema>;
    try {
      entries = fileSchema.parse(JSON.parse((await readRegularFile(path, maxFileBytes)).toString()));
    } catch (error) {
      // A parser's message may quote the file.
      const isContent = error instanceof SyntaxError || error instanceof z.ZodError;
      const reason = isContent ? "not such a file" : messageOf(error);
      throw new ServerError("MODULE_CONFIG", `secrets_file_path: ${path}: ${reason}`);
    }
    const ofFile = Object.entries(entries).map(([name, entry]): [string, UserSecret] => [
      name,
      secretOf(`secrets_file_path: ${path}`, name, entry, key),
    ]);
    this.#users = new Map([...this.#own, ...ofFile]);
  }
}

/** @throws ServerError MODULE_CONFIG, with the place and the user */
function secretOf(
  place: string,
  name: string,
  entry: z.infer<typeof fileSchema>[string],
  key: Buffer | undefined,
): UserSecret {
  const fail = (reason: string) =>
    new ServerError("MODULE_CONFIG", `${place}: user ${JSON.stringify(name)}: ${reason}`);
  let text = entry.totp_secret ?? "";
  if (text === "" && entry.totp_secret_encrypted) {
    if (key === undefined) {
      throw fail("its secret is encrypted, and there is no encryption_key");
    }
    try {
      text = decrypted(entry.totp_secret_encrypted, key);
    } catch {
      throw fail("its secret cannot be decrypted with the encryption_key");
    }
  }
  const secret = readSecret(text);
  if (secret === undefined) {
    throw fail("no secret in base32 of at least 10 bytes");
  }
  return { secret, digits: entry.totp_code_length || undefined };
}
