export { type AdminDeps, adminApp } from './admin-app.ts';
