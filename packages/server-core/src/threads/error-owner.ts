import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

/** The owner of running work: a request, or a module of the configuration. */
export interface ErrorOwner {
  /** Takes an error of this work that no code caught. Must not throw. */
  fail(error: unknown): void;
}

const owners = new AsyncLocalStorage<ErrorOwner | undefined>();

/** The context of nobody's work: where this module was loaded. */
const nobody = new AsyncResource("nobody");

function enter<Arguments extends unknown[], Result>(
  owner: ErrorOwner,
  run: (...args: Arguments) => Result,
  args: Arguments,
): Result {
  owners.enterWith(owner);
  return run(...args);
}

/**
 * Runs something as the work of `owner`, with all timers, promises and sockets that come of it. Values that others keep in
 * an `AsyncLocalStorage` do not go along.
 *
 * Each request passes here: to enter from the context of nobody, and to leave by its resource, takes a fifth of the time of
 * `AsyncLocalStorage.run`, which copies the context twice.
 */
export function runFor<Arguments extends unknown[], Result>(
  owner: ErrorOwner,
  run: (...args: Arguments) => Result,
  ...args: Arguments
): Result {
  return owners.getStore() === owner
    ? run(...args)
    : (nobody.runInAsyncScope(enter, undefined, owner, run, args) as Result);
}

/** Runs something that outlives the request that happened to start it, such as a connection that is kept. */
export function runForNobody<Result>(run: () => Result): Result {
  return nobody.runInAsyncScope(run);
}

/** Binds a callback to the work that runs now, for events of what outlives it: what it throws is that work's error too. */
export function keepOwner<Arguments extends unknown[]>(
  callback: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const owner = owners.getStore();
  if (owner === undefined) {
    return callback;
  }
  return (...args) => {
    try {
      runFor(owner, callback, ...args);
    } catch (error) {
      owner.fail(error);
    }
  };
}

/** Gives an error to whose work it came of. @returns whether there is anybody */
export function giveToOwner(error: unknown): boolean {
  const owner = owners.getStore();
  owner?.fail(error);
  return owner !== undefined;
}

/**
 * Has errors that no code caught end the work that they came of, and not the thread.
 * @param end called with an error that is nobody's: what it left half done is not known
 * @returns ends it
 */
export function containUncaught(end: (error: Error, isRejection: boolean) => void): () => void {
  const take = (error: Error, origin: NodeJS.UncaughtExceptionOrigin) => {
    if (!giveToOwner(error)) {
      end(error, origin === "unhandledRejection");
    }
  };
  process.on("uncaughtException", take);
  return () => void process.off("uncaughtException", take);
}
