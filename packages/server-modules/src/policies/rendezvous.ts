import type { Candidate } from "../handlers/reverse-proxy/candidate.ts";

/** Offset basis and prime of FNV-1a. Other values would move every client to another upstream. */
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
/** Maximum number of cached address hashes; dynamic upstreams may have any number of addresses. */
const maxKnownHashes = 10_000;

/** FNV-1a, 32 bits, over UTF-16 code units. */
function hashText(text: string): number {
  let hash = fnvOffset;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), fnvPrime);
  }
  return hash >>> 0;
}

/** Makes every output bit depend on all input bits. Source: the finalizer of MurmurHash3 */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Cached hashes of addresses, because every request needs all of them. */
const addressHashes = new Map<string, number>();

/** The mixed hash of an address, computed once. */
function hashAddress(address: string): number {
  let hash = addressHashes.get(address);
  if (hash === undefined) {
    if (addressHashes.size >= maxKnownHashes) {
      addressHashes.clear();
    }
    hash = mix(hashText(address));
    addressHashes.set(address, hash);
  }
  return hash;
}

/**
 * Chooses by highest random weight. The same key gets the same upstream while it is available; adding or removing an
 * upstream moves only the keys of this upstream. All threads and servers with the same list agree. Source: Thaler and
 * Ravishankar, "A name-based mapping scheme for rendezvous"
 */
export function selectByKey(available: readonly Candidate[], key: string): Candidate | undefined {
  const keyHash = hashText(key);
  let best: Candidate | undefined;
  let bestWeight = -1;
  for (const candidate of available) {
    const weight = mix(keyHash ^ hashAddress(candidate.address));
    if (weight > bestWeight) {
      best = candidate;
      bestWeight = weight;
    }
  }
  return best;
}
