module.exports = {
  mode: 'production',
  target: 'web',
  entry: './main.mjs',
  output: { path: `${__dirname}/dist`, filename: 'main.js' },
  performance: { hints: false },
};
