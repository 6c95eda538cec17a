void idci_placeholder(void);
