module.exports = {
  mode: 'production',
  target: 'node18',
  entry: '../esm/main.mjs',
  output: { path: `${__dirname}/dist-node`, filename: 'main.js' },
};
