import { bytes, commaList, duration } from "lifecycle";
import { z } from "zod";

/** Options for old days in an object storage. They do nothing without an endpoint. */
export const coldOptions = z.object({
  "storage.cold.endpoint": z
    .string()
    .default("")
    .describe(
      "Address of a bucket and a folder in it, for old days: https://s3.eu-central-1.amazonaws.com/spans/prod/ or http://minio:9000/spans/prod/. Empty: all days stay on the disk.",
    )
    .meta({ placeholder: "url" }),
  "storage.cold.region": z
    .string()
    .default("")
    .describe("Region of the bucket, where the address does not say it."),
  "storage.cold.access-key-id": z
    .string()
    .default("")
    .describe(
      "Key of the bucket; without one that of the environment is used (AWS_ACCESS_KEY_ID, the machine's role).",
    ),
  "storage.cold.secret-access-key": z.string().default("").describe("Secret of the key."),
  "storage.cold.secret-access-key-file": z
    .string()
    .default("")
    .describe("File with the secret of the key in one line."),
  // A day can move only after it has ended, at midnight UTC at the earliest.
  "storage.cold.after": duration("168h").describe(
    "Days whose last moment is older are moved to the bucket: 7d, 36h; 0 moves each day when it has ended.",
  ),
  // Other tables are indexes and sums: small, and read by most searches.
  "storage.cold.tables": commaList("spans").describe(
    "Tables of --storage.retention-databases whose old days are moved.",
  ),
  "storage.cold.cache-bytes": bytes("1GiB").describe(
    "Room on the disk for pieces of moved days that were read lately.",
  ),
});

export type ColdOptions = z.infer<typeof coldOptions>;
