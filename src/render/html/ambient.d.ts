/** What the bundler makes of these files (`scripts/svelte-on-server.js`). */
declare module "*.css?raw" {
  const text: string;
  export default text;
}
