// @peculiar/x509 finds its algorithms through tsyringe, which does not load without three functions of an abandoned
// proposal for JavaScript. A complete polyfill in a user's module may load later and then extends these three
// functions. Import this module before @peculiar/x509.

type Metadata = Map<unknown, unknown>;

const metadata = new WeakMap<object, Metadata>();

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const own = metadata.get(target) ?? new Map();
  metadata.set(target, own.set(key, value));
}

function getOwnMetadata(key: unknown, target: object): unknown {
  return metadata.get(target)?.get(key);
}

function getOwnMetadataKeys(target: object): unknown[] {
  return [...(metadata.get(target)?.keys() ?? [])];
}

function hasOwnMetadata(key: unknown, target: object): boolean {
  return metadata.get(target)?.has(key) === true;
}

function deleteMetadata(key: unknown, target: object): boolean {
  return metadata.get(target)?.delete(key) === true;
}

/** Includes the metadata that the target inherits. */
function getMetadata(key: unknown, target: object): unknown {
  for (let each: object | null = target; each !== null; each = Object.getPrototypeOf(each)) {
    const own = metadata.get(each);
    if (own?.has(key) === true) {
      return own.get(key);
    }
  }
  return undefined;
}

// A user's module may have loaded a complete polyfill. In that case this module adds nothing, so that all metadata is
// in one place.
if (!("getMetadata" in Reflect)) {
  Object.assign(Reflect, {
    defineMetadata,
    getOwnMetadata,
    getMetadata,
    getOwnMetadataKeys,
    hasOwnMetadata,
    deleteMetadata,
  });
}
