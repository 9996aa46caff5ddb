// Style class names are derived from the file path, so that the frame rendered at build time uses the same ones as the
// script.
const cssHash = ({ hash, filename }) => `s-${hash(filename.slice(filename.lastIndexOf("/src/")))}`;

export default { compilerOptions: { runes: true, cssHash } };
