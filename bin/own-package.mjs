// A module of the user finds `agent-daybook/kit` wherever it lies: where no such package is installed beside it, it is the
// one that runs.
const ROOT = new URL("../package.json", import.meta.url).href;
const OWN = /^agent-daybook(?:\/|$)/;

export async function resolve(name, context, next) {
  try {
    return await next(name, context);
  } catch (error) {
    if (!OWN.test(name)) throw error;
    return next(name, { ...context, parentURL: ROOT });
  }
}
