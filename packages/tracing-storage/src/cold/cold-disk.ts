import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { StartError, secretOf } from "lifecycle";
import type { ColdOptions } from "../cold-options.ts";
import { replaceFile } from "../synced-file.ts";
import { coldDisk, coldMarkPath } from "./cold-folder.ts";

/** Volume with the bucket, in the policy of all tables. */
export const coldVolume = "cold";

/** Policy of tables whose data is only in the bucket. */
export const bucketPolicy = "cold_only";

/** The disk with the cache in front of the bucket. */
export const coldCachedDisk = "cold_cached";

/**
 * Number of further attempts for one request to the bucket; the engine also repeats whole reads. With the engine's
 * default of 500, a start and each search would hang for an hour while the bucket does not answer.
 */
const attempts = 3;
/** Time limits of one attempt in milliseconds: for the connection, and for an answer. */
const connectTimeoutMs = 2_000;
const requestTimeoutMs = 30_000;

/** Environment variable from which the engine takes the secret, so that no file contains the secret. */
const secretVariable = "TRACING_STORAGE_COLD_SECRET";

/** The bucket for old days. */
export interface ColdBucket {
  /** Address of the bucket and the folder in it, with a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  /** Empty: the engine takes the key from its environment (`use_environment_credentials`). */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Room on the local disk for pieces of the bucket's objects, in bytes. */
  readonly cacheBytes: number;
}

/** @throws StartError for an address without a bucket, and for a key without its secret or a secret without its key */
export function coldBucket(options: ColdOptions): ColdBucket {
  const text = options["storage.cold.endpoint"];
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new StartError(
      `option --storage.cold.endpoint: "${text}" is not the address of a bucket such as https://s3.example.com/spans/prod/`,
    );
  }
  if (url.pathname === "/") {
    throw new StartError(
      `option --storage.cold.endpoint: "${text}" names no folder: two stores in one bucket need different folders`,
    );
  }
  const accessKeyId = options["storage.cold.access-key-id"];
  const secretAccessKey = secretOf(options, "storage.cold.secret-access-key");
  if ((accessKeyId === "") !== (secretAccessKey === "")) {
    throw new StartError("--storage.cold.access-key-id and --storage.cold.secret-access-key go together");
  }
  return {
    endpoint: url.href.replace(/\/*$/, "/"),
    region: options["storage.cold.region"],
    accessKeyId,
    secretAccessKey,
    cacheBytes: options["storage.cold.cache-bytes"],
  };
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const xml = (text: string) => text.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign);

function keyXml({ accessKeyId }: ColdBucket): string {
  return accessKeyId === ""
    ? "<use_environment_credentials>1</use_environment_credentials>"
    : `<access_key_id>${xml(accessKeyId)}</access_key_id>
        <secret_access_key from_env="${secretVariable}"/>
        <use_environment_credentials>0</use_environment_credentials>`;
}

/**
 * The engine's configuration of the bucket: a disk, a cache in front of it, and a second volume in the policy
 * `default`. All tables use this policy, so no table has to be changed. Another policy has only the bucket, for the
 * check of the key at startup.
 */
export function coldDiskXml(bucket: ColdBucket, enginePath: string): string {
  const region = bucket.region === "" ? "" : `<region>${xml(bucket.region)}</region>`;
  return `<storage_configuration>
    <disks>
      <${coldDisk}>
        <type>s3</type>
        <endpoint>${xml(bucket.endpoint)}</endpoint>
        ${keyXml(bucket)}
        ${region}
        <s3_retry_attempts>${attempts}</s3_retry_attempts>
        <connect_timeout_ms>${connectTimeoutMs}</connect_timeout_ms>
        <request_timeout_ms>${requestTimeoutMs}</request_timeout_ms>
        <skip_access_check>1</skip_access_check>
      </${coldDisk}>
      <${coldCachedDisk}>
        <type>cache</type>
        <disk>${coldDisk}</disk>
        <path>${xml(join(enginePath, "cache", coldDisk))}/</path>
        <max_size>${bucket.cacheBytes}</max_size>
      </${coldCachedDisk}>
    </disks>
    <policies>
      <default>
        <volumes>
          <default><disk>default</disk></default>
          <${coldVolume}><disk>${coldCachedDisk}</disk></${coldVolume}>
        </volumes>
        <move_factor>0</move_factor>
      </default>
      <${bucketPolicy}>
        <volumes><${coldVolume}><disk>${coldDisk}</disk></${coldVolume}></volumes>
      </${bucketPolicy}>
    </policies>
  </storage_configuration>`;
}

/** Gives the secret to the engine, which reads the environment of the process. */
export function exportSecret({ secretAccessKey }: ColdBucket): void {
  process.env[secretVariable] = secretAccessKey;
}

/** Records which bucket has the old days of a folder, unless this is already recorded. */
export function noteEndpoint(dataFolder: string, endpoint: string): void {
  const path = coldMarkPath(dataFolder);
  if (existsSync(path)) {
    return;
  }
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  replaceFile(path, `${JSON.stringify({ endpoint })}\n`);
}
